<?php
/**
 * Prepended to a run of tests whose calls are traced: loads classes as composer.json says, and those of other packages by
 * their names; at the end it writes down where every class, method and function that was loaded is defined.
 */
$traced_root = getenv('TRACED_ROOT');
$traced_places = [];
$traced_composer = json_decode(file_get_contents("$traced_root/composer.json"), true);
foreach (['autoload', 'autoload-dev'] as $traced_part) {
    foreach (['psr-4', 'psr-0'] as $traced_way) {
        foreach ($traced_composer[$traced_part][$traced_way] ?? [] as $traced_prefix => $traced_folders) {
            foreach ((array) $traced_folders as $traced_folder) {
                $inner = $traced_way === 'psr-0' ? str_replace(['\\', '_'], '/', $traced_prefix) : '';
                $traced_places[] = [$traced_prefix, rtrim("$traced_root/$traced_folder", '/'), $inner];
            }
        }
    }
}
spl_autoload_register(static function (string $class) use ($traced_places): void {
    foreach ($traced_places as [$prefix, $folder, $inner]) {
        if ($prefix === '' || strncmp($class, $prefix, strlen($prefix)) === 0) {
            $rest = str_replace(['\\', '_'], ['/', $inner === '' ? '_' : '/'], substr($class, strlen($prefix)));
            if (is_file($file = "$folder/$inner$rest.php")) {
                require_once $file;
                return;
            }
        }
    }
    foreach (array_filter(explode(':', getenv('TRACED_ELSEWHERE') ?: '/usr/share/php')) as $folder) {
        $parts = explode('\\', $class);
        while ($parts) {
            if (is_file($file = "$folder/" . implode('/', $parts) . '.php')) {
                require_once $file;
                return;
            }
            array_shift($parts);
            if (count($parts) < 1 || $folder === '/usr/share/php') {
                break;
            }
        }
    }
}, true, true);
foreach ([...$traced_composer['autoload']['files'] ?? [], ...$traced_composer['autoload-dev']['files'] ?? []] as $traced_file) {
    require_once "$traced_root/$traced_file";
}
register_shutdown_function(static function (): void {
    if (function_exists('xdebug_stop_trace')) {
        @xdebug_stop_trace();
    }
    $found = ['classes' => [], 'functions' => []];
    foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as $name) {
        $class = new ReflectionClass($name);
        $methods = [];
        foreach ($class->getMethods() as $method) {
            $methods[$method->getName()] = [(string) $method->getFileName(), (int) $method->getStartLine(), $method->class];
        }
        $above = [...$class->getInterfaceNames(), ...$class->getTraitNames()];
        for ($parent = $class->getParentClass(); $parent; $parent = $parent->getParentClass()) {
            $above = [...$above, $parent->getName(), ...$parent->getTraitNames()];
        }
        $place = [(string) $class->getFileName(), (int) $class->getStartLine()];
        $found['classes'][$name] = ['at' => $place, 'above' => $above, 'methods' => $methods];
    }
    foreach (get_defined_functions()['user'] as $name) {
        $function = new ReflectionFunction($name);
        $found['functions'][$name] = [(string) $function->getFileName(), (int) $function->getStartLine(), ''];
    }
    file_put_contents(getenv('TRACED_OUT'), json_encode($found, JSON_INVALID_UTF8_SUBSTITUTE));
});
