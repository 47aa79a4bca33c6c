using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Broker.Cli.Help;

/// <summary>Prints the usual help text and examples below it.</summary>
internal sealed class HelpWithExamples(HelpAction help, string examples) : SynchronousCommandLineAction
{
    public static void Add(Command command, string examples)
    {
        var option = new HelpOption();
        option.Action = new HelpWithExamples((HelpAction)option.Action!, examples);
        command.Options.Add(option);
    }

    public override int Invoke(ParseResult parseResult)
    {
        int result = help.Invoke(parseResult);
        parseResult.InvocationConfiguration.Output.WriteLine(examples);
        return result;
    }
}
