// Prints the calls in assemblies of mono's compiler (`mcs -debug -optimize-`), a line of fields each, with a tab between:
// file, row, column, name of what is called, how many of its parameters; then, if it is of these assemblies, its type,
// the names of its parameters, and its file and first row. Nothing is printed of what nobody writes: accessors, operators,
// delegates, what the compiler made. `csharp.py` says which call of the source each is.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

static class Calls
{
    const int Hidden = 0xfeefee;
    static readonly Dictionary<ModuleDefinition, MonoSymbolFile> known = new Dictionary<ModuleDefinition, MonoSymbolFile>();
    static readonly HashSet<string> overriding = new HashSet<string>();

    static void Main(string[] paths)
    {
        var resolver = new DefaultAssemblyResolver();
        foreach (var folder in paths.Select(Path.GetDirectoryName).Distinct())
            resolver.AddSearchDirectory(folder.Length > 0 ? folder : ".");
        foreach (var path in paths)
        {
            var module = AssemblyDefinition.ReadAssembly(path, new ReaderParameters { AssemblyResolver = resolver }).MainModule;
            known[module] = MonoSymbolFile.ReadSymbolFile(path + ".mdb");
        }
        var modules = known.Keys.ToDictionary(one => one.Assembly.Name.Name);
        foreach (var method in modules.Values.SelectMany(one => one.GetTypes()).SelectMany(one => one.Methods))
            if (method.IsVirtual && !method.IsNewSlot)
                overriding.Add(Shape(method));
        foreach (var method in modules.Values.SelectMany(one => one.GetTypes()).SelectMany(one => one.Methods))
            if (method.HasBody)
                Print(method, modules);
    }

    static void Print(MethodDefinition method, Dictionary<string, ModuleDefinition> modules)
    {
        var entry = Entry(method);
        if (entry == null)
            return;
        var lines = entry.GetLineNumberTable().LineNumbers.Where(one => one.Row > 0 && one.Row != Hidden).ToArray();
        foreach (var instruction in method.Body.Instructions)
        {
            var called = instruction.Operand as MethodReference;
            var at = lines.LastOrDefault(one => one.Offset <= instruction.Offset);
            if (called == null || at == null || instruction.OpCode.FlowControl != FlowControl.Call)
                continue;
            var definition = Definition(called, modules);
            if (!IsWritten(called, definition))
                continue;
            var fields = new List<string> { Source(method, at), at.Row + "", at.Column + "", Name(called), called.Parameters.Count + "" };
            if (definition != null && known.ContainsKey(definition.Module))
                fields.AddRange(Place(definition));
            Console.WriteLine(string.Join("\t", fields));
        }
    }

    static MethodDefinition Definition(MethodReference called, Dictionary<string, ModuleDefinition> modules)
    {
        try
        {
            var found = called.Resolve();
            if (found == null || !modules.ContainsKey(found.Module.Assembly.Name.Name) || known.ContainsKey(found.Module))
                return found;
            return (MethodDefinition) modules[found.Module.Assembly.Name.Name].LookupToken(found.MetadataToken);
        }
        catch (AssemblyResolutionException)
        {
            return null;
        }
    }

    // The compiler names the method that was declared first. If that one is outside and something here overrides it,
    // nobody can tell which of them is meant.
    static bool IsWritten(MethodReference called, MethodDefinition definition)
    {
        if (called.Name.StartsWith("<") || called.DeclaringType.Name.StartsWith("<") || called.DeclaringType.IsArray)
            return false;
        if (definition == null)
            return !called.Name.StartsWith("get_") && !called.Name.StartsWith("set_") && !called.Name.StartsWith("op_");
        if (definition.DeclaringType.BaseType != null && definition.DeclaringType.BaseType.FullName == "System.MulticastDelegate")
            return false;
        if (definition.IsSpecialName && !definition.IsConstructor)
            return false;
        var isOpen = definition.IsVirtual && !definition.DeclaringType.IsInterface;
        return known.ContainsKey(definition.Module) || !isOpen || !overriding.Contains(Shape(definition));
    }

    static string Shape(MethodDefinition method)
    {
        return method.Name + "/" + method.Parameters.Count;
    }

    static string Name(MethodReference called)
    {
        var own = called.Name == ".ctor" ? called.DeclaringType.Name.Split('`')[0] : called.Name;
        return called.Name == ".ctor" ? "new " + own : own;
    }

    static IEnumerable<string> Place(MethodDefinition method)
    {
        yield return method.DeclaringType.FullName;
        yield return string.Join(",", method.Parameters.Select(one => one.Name));
        var entry = Entry(method);
        var first = entry == null ? null : entry.GetLineNumberTable().LineNumbers.FirstOrDefault(one => one.Row > 0 && one.Row != Hidden);
        yield return first == null ? "" : Source(method, first);
        yield return first == null ? "0" : first.Row + "";
    }

    static MethodEntry Entry(MethodDefinition method)
    {
        return known[method.Module].GetMethodByToken(method.MetadataToken.ToInt32());
    }

    static string Source(MethodDefinition method, LineNumberEntry at)
    {
        return known[method.Module].GetSourceFile(at.File).FileName;
    }
}
