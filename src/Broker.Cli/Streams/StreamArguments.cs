using System.CommandLine;

namespace Broker.Cli.Streams;

/// <summary>Creates the arguments and flags that several commands about streams have.</summary>
internal static class StreamArguments
{
    public static Argument<string> Name(string kind, string what) => new(kind) { Description = what };

    public static Option<bool> Json() => new("--json") { Description = "Print a JSON object on one line, with the names of the JetStream API" };

    public static Option<bool> JsonLines() => new("--json") { Description = "Print each as a JSON object on one line, with the names of the JetStream API" };

    public static Option<bool> Names() => new("--names", "-n") { Description = "Print only the names" };

    public static Command WithAliases(this Command command, params string[] aliases)
    {
        foreach (string alias in aliases)
        {
            command.Aliases.Add(alias);
        }

        return command;
    }

    /// <summary>Adds arguments and flags in their order.</summary>
    public static Command With(this Command command, params Symbol[] symbols)
    {
        foreach (Symbol symbol in symbols)
        {
            switch (symbol)
            {
                case Argument argument:
                    command.Arguments.Add(argument);
                    break;
                case Option option:
                    command.Options.Add(option);
                    break;
                default:
                    throw new ArgumentException($"a {symbol.GetType().Name} cannot be added", nameof(symbols));
            }
        }

        return command;
    }
}
