// What scalac's typer knows of the calls in some files, a line each; `scala.py` builds it, runs it and says more.
// A line has tabs between: path, line, name as written, how it is written, and of what is called path, line and name.

import scala.reflect.internal.util.{BatchSourceFile, Position, SourceFile}
import scala.tools.nsc.reporters.AbstractReporter
import scala.tools.nsc.{Global, Settings}

/** Says nothing and stops nothing: what does not compile is left out, and the rest is told. */
class Patient(val settings: Settings) extends AbstractReporter {
  var errors = 0
  override def hasErrors: Boolean = false
  def display(at: Position, message: String, severity: Severity): Unit = if (severity == ERROR) {
    errors += 1
    if (sys.env.contains("SHOW")) Console.err.println(s"${at.source}:${if (at.isDefined) at.line else 0}: $message")
  }
  def displayPrompt(): Unit = ()
}

object Calls {
  def main(arguments: Array[String]): Unit = {
    val settings = new Settings(message => sys.error(message))
    val (_, lists) = settings.processArguments(arguments.toList, processAll = true)
    val files = lists.flatMap(list => scala.io.Source.fromFile(list).getLines)
    settings.Yrangepos.value = true
    settings.stopAfter.value = List("typer")
    val reporter = new Patient(settings)
    val compiler = new Calls(settings, reporter)
    compiler.tell(files)
    Console.err.println(s"${reporter.errors} errors in ${files.size} files")
  }
}

class Calls(given: Settings, reporter: Patient) extends Global(given, reporter) {
  private val inName = (letter: Char) => Character.isJavaIdentifierPart(letter)

  override def validatePositions(tree: Tree): Unit = () // those of errors are not as they should be

  def tell(files: List[String]): Unit = {
    val run = new Run
    run.compile(files)
    for (unit <- run.units if !unit.isJava) {
      try new Teller(unit.source).traverse(unit.body)
      catch { case problem: Exception => Console.err.println(s"${unit.source}: $problem") }
    }
  }

  private class Teller(source: SourceFile) extends Traverser {
    private val text = source.content

    override def traverse(tree: Tree): Unit = expandee(tree) match {
      case _: Import | _: TypeTree =>
      case made: DefDef if made.symbol != null && made.symbol.isSynthetic =>
      case CaseDef(_, guard, body) => traverse(guard); traverse(body) // a pattern calls nothing that has its name there
      case view: ApplyImplicitView => traverseTrees(view.args)
      case implicits: ApplyToImplicitArgs => traverse(implicits.fun)
      case Apply(fun, args) =>
        told(fun, passed = args.nonEmpty)
        inner(fun)
        traverseTrees(args)
      case template: Template => made(template); super.traverse(template)
      case ref: RefTree => told(ref, passed = false); inner(ref)
      case other => super.traverse(other)
    }

    /** What is inside of what is called, which is told already. */
    private def inner(fun: Tree): Unit = fun match {
      case Select(qualifier, nme.CONSTRUCTOR) if qualifier.isInstanceOf[New] =>
      case Select(on, _) => traverse(on)
      case TypeApply(of, _) => inner(of)
      case _: Ident =>
      case other => traverse(other)
    }

    private def expandee(tree: Tree): Tree =
      tree.attachments.get[analyzer.MacroExpansionAttachment].map(_.expandee).filter(_ ne tree).getOrElse(tree)

    private def told(fun: Tree, passed: Boolean): Unit = fun match {
      case TypeApply(of, _) => told(of, passed)
      case Select(New(made), nme.CONSTRUCTOR) => constructed(made, fun.symbol)
      case Select(_: Super, nme.CONSTRUCTOR) =>
      case Select(_: This, nme.CONSTRUCTOR) if written(fun.pos.point) == "this" =>
        line(fun.pos.point, fun.symbol.owner.name.decoded, "brackets", fun.symbol.owner)
      case ref: RefTree if isCallable(ref.symbol) && ref.pos.isDefined => called(ref, passed)
      case _ =>
    }

    private def isCallable(symbol: Symbol): Boolean =
      symbol != null && symbol != NoSymbol && symbol.isMethod && !symbol.isErroneous && !symbol.isConstructor &&
        !symbol.isAccessor && !symbol.isLazy && !symbol.isOverloaded && !symbol.name.containsName("$default$")

    private def called(ref: RefTree, passed: Boolean): Unit = {
      val (symbol, at) = (ref.symbol, ref.pos.point)
      val (name, here) = (symbol.name.decoded, written(at))
      if (here == name) how(ref, at, passed).foreach(line(at, name, _, symbol))
      else if (name == "apply" && here != "") applied(ref, at, here)
    }

    /** `Card(1)`, where nobody wrote `apply`. */
    private def applied(ref: RefTree, at: Int, here: String): Unit = ref.qualifier match {
      case on: RefTree if on.symbol != null && on.symbol.isModule && on.symbol.name.decoded == here =>
        val way = if (opens(afterTypes(at + here.length + quote(at)))) "brackets" else "bare"
        val isOwn = ref.symbol.isSynthetic || ref.symbol.owner == on.symbol.moduleClass // or inherited by the object
        line(at, if (isOwn) here else "apply", way, if (ref.symbol.isSynthetic) ref.symbol.owner.companionClass else ref.symbol)
      case on: RefTree if on.symbol != null && on.symbol.isTerm && isInside(ref.symbol) =>
        line(at, "apply", "brackets", ref.symbol)
      case _ =>
    }

    private def constructed(made: Tree, constructor: Symbol): Unit = {
      val holder = constructor.owner
      if (constructor.isConstructor && !holder.isAnonymousClass && !constructor.isErroneous) typed(made, holder)
    }

    /** What a class, or an object without a name, passes to the constructor above it. */
    private def made(template: Template): Unit = template.parents.headOption.foreach { above =>
      val symbol = above.tpe match { case null => NoSymbol; case known => known.typeSymbol }
      if (symbol.isClass && !symbol.isTrait && above.pos.isRange) {
        val isNew = template.symbol.owner.isAnonymousClass || currentOwner.isAnonymousClass
        if (isNew || passes(above)) typed(above, symbol)
      }
    }

    private def typed(made: Tree, holder: Symbol): Unit = name(made).foreach { at =>
      if (written(at) != "") line(at, written(at), "brackets", holder)
    }

    private def passes(made: Tree): Boolean = name(made).exists(at => text.lift(afterTypes(at + written(at).length)).contains('('))

    private def name(made: Tree): Option[Int] = made match {
      case tree: TypeTree if tree.original != null => name(tree.original)
      case AppliedTypeTree(of, _) => name(of)
      case Annotated(_, of) => name(of)
      case ref: RefTree if ref.pos.isDefined && written(ref.pos.point) == ref.name.decoded => Some(ref.pos.point)
      case _ => None
    }

    private def how(ref: RefTree, at: Int, passed: Boolean): Option[String] = {
      val name = written(at)
      val before = text.lastIndexWhere(letter => !Character.isWhitespace(letter), at - 1 - quote(at))
      val follows = afterTypes(at + name.length + quote(at))
      val isDotted = before >= 0 && text(before) == '.'
      val isSymbol = !inName(name.last)
      val on = ref.qualifier
      val isBehind = on != EmptyTree && on.pos.isRange && on.pos.end <= at && !isDotted
      if (name == "unary_" || text.lift(follows).contains('"')) None
      else if (isBehind || isSymbol && !isDotted) Some(if (passed) "infix" else "bare")
      else if (opens(follows)) Some("brackets")
      else if (passed) None // it is handed on, and not called
      else Some("bare")
    }

    private def opens(at: Int): Boolean = text.lift(at).exists(letter => letter == '(' || letter == '{')

    private def afterTypes(from: Int): Int = {
      var at = blanks(from)
      if (text.lift(at).contains('[')) {
        var depth = 0
        do {
          if (text(at) == '[') depth += 1 else if (text(at) == ']') depth -= 1
          at += 1
        } while (depth > 0 && at < text.length)
        at = blanks(at)
      }
      at
    }

    private def blanks(from: Int): Int = {
      var at = from
      while (at < text.length && (text(at) == ' ' || text(at) == '\t')) at += 1
      at
    }

    private def quote(at: Int): Int = if (text.lift(at).contains('`')) 1 else 0

    /** The name that stands somewhere. */
    private def written(at: Int): String = {
      val from = at + quote(at)
      if (quote(at) == 1) new String(text.slice(from, text.indexOf('`', from)))
      else if (text.lift(from).exists(inName)) {
        val plain = run(from, inName)
        if (text(from + plain.length - 1) != '_') plain else plain + run(from + plain.length, isOperator)
      } else run(from, isOperator)
    }

    private def run(from: Int, of: Char => Boolean): String = {
      var at = from
      while (at < text.length && of(text(at))) at += 1
      new String(text, from, at - from)
    }

    private def isOperator(letter: Char): Boolean = scala.reflect.internal.Chars.isOperatorPart(letter)

    private def isInside(symbol: Symbol): Boolean = symbol.pos.isDefined && symbol.sourceFile != null

    private def line(at: Int, name: String, how: String, symbol: Symbol): Unit =
      if (symbol != NoSymbol && !(symbol.isSynthetic && symbol.isMethod) && !isOfLanguage(symbol)) {
        val to =
          if (!isInside(symbol)) List("", "0", "")
          else List(symbol.pos.source.file.path, symbol.pos.line.toString, symbol.name.decoded)
        val where = List(source.file.path, (source.offsetToLine(at) + 1).toString, name, how)
        println((where ++ to).mkString("\t"))
      }

    private def isOfLanguage(symbol: Symbol): Boolean = {
      val holder = symbol.owner
      symbol.isMethod && (holder == definitions.AnyClass || holder == definitions.ObjectClass ||
        definitions.isPrimitiveValueClass(holder) || holder == definitions.StringClass && symbol.name.decoded == "+")
    }
  }
}
