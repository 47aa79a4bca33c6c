using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The <c>broker</c> command: parses the arguments, runs what they ask for and answers the exit code.</summary>
internal sealed class BrokerCommand(TextWriter output, TextWriter error, Screen screen, Func<IServeHost> createHost)
{
    private const string Examples = """
        Examples:
          broker serve --zeromq
          broker serve --help
        """;

    public async Task<int> RunAsync(IReadOnlyList<string> args, CancellationToken cancellationToken)
    {
        var root = Build();
        // Scripts that start nats-server give flags and no command.
        if (args is [['-', ..] first, ..] && first.TrimStart('-') is not ("h" or "help" or "v" or "version" or ""))
            args = ["serve", .. args];
        // Without response files an address such as @name is a value like any other.
        var parsed = root.Parse(GoStyleArguments.Normalize(args, root), new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
        {
            await error.WriteLineAsync($"broker: {Explain(parsed)}");
            return ExitCode.Usage;
        }

        return await parsed.InvokeAsync(
            new InvocationConfiguration
            {
                Output = output,
                Error = error,
                EnableDefaultExceptionHandler = false,
                // Signals are ShutdownSignals' business: a stop has a deadline and an exit code of its own.
                ProcessTerminationTimeout = null,
            },
            cancellationToken);
    }

    private RootCommand Build()
    {
        var root = new RootCommand("A broker of the NATS protocol that ZeroMQ programs can talk to.");
        root.Options.Clear();
        var version = new Option<bool>("--version", "-v") { Description = "Show the version" };
        root.Options.Add(version);
        HelpWithExamples.Add(root, Examples);
        root.Subcommands.Add(new ServeCommand(screen, createHost).Build());
        root.SetAction(parsed =>
        {
            if (parsed.GetValue(version))
            {
                // The first line is for programs that ask nats-server and go by the answer what they can use.
                output.WriteLine($"nats-server: v{BrokerServer.ProtocolVersion}");
                output.WriteLine($"broker: v{CommandVersion.Text}");
                return ExitCode.Success;
            }

            error.WriteLine("broker: say what to do, such as broker serve (broker --help lists it)");
            return ExitCode.Usage;
        });
        return root;
    }

    private static string Explain(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        var help = command is RootCommand ? "broker --help" : $"broker {command.Name} --help";
        if (parsed.UnmatchedTokens is not [var token, ..])
            return $"{parsed.Errors[0].Message} ({help})";
        var known = token.StartsWith('-')
            ? command.Options.SelectMany(o => o.Aliases.Prepend(o.Name))
            : command.Subcommands.Select(c => c.Name);
        var meant = Spelling.Nearest(token.Split('=')[0], known.Where(name => name.Length > 2)) is { } name ? $", did you mean {name}?" : "";
        return token.StartsWith('-')
            ? $"unknown flag {token}{meant} ({help} lists them)"
            : $"unexpected argument \"{token}\"{meant} ({help})";
    }
}
