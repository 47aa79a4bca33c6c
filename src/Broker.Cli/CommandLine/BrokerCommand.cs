using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Configuration;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Sockets;
using Broker.Cli.Terminal;
using Broker.Client;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The <c>broker</c> command: parses the arguments, runs what they ask for and answers the exit code.</summary>
/// <param name="output">Standard output.</param>
/// <param name="error">Standard error.</param>
/// <param name="screen">The same two, for what is shown while it serves.</param>
/// <param name="shell">The same and standard input, for commands that carry messages.</param>
/// <param name="createHost">Makes what is served.</param>
/// <param name="program">The name that the program was started by.</param>
internal sealed class BrokerCommand(
    TextWriter output, TextWriter error, Screen screen, ShellStreams shell, Func<IServeHost> createHost, string program = ProgramName.Default)
{
    /// <summary>Makes what a bridge alone is served by, from what adds to a client's options who the bridge is.</summary>
    public Func<Func<ClientOptions, ClientOptions>, IServeHost> CreateBridge { get; init; } = static identify => new BridgeHost(identify);

    private const string Examples = """
        Examples:
          broker serve --zeromq
          broker sub 'zmq.>'
          broker zmq pub --connect tcp://127.0.0.1:5556 weather.oslo "4 degrees"
          broker serve --help
        """;

    public async Task<int> RunAsync(IReadOnlyList<string> args, CancellationToken cancellationToken)
    {
        var root = Build();
        args = args switch
        {
            ["help" or "version"] => ["--" + args[0]],
            // Scripts that start nats-server give flags and no command, or nothing at all.
            [['-', ..] first, ..] when first.TrimStart('-') is not ("h" or "help" or "v" or "version" or "") => ["serve", .. args],
            [] when program != ProgramName.Default => ["serve"],
            _ => args,
        };
        var parsed = root.Parse(GoStyleArguments.Normalize(args, root, out string? unknown), new ParserConfiguration
        {
            // Without response files an address such as @name is a value like any other.
            ResponseFileTokenReplacer = null,
            // With bundles -no_advertise would be -n with the value o_advertise.
            EnablePosixBundling = false,
        });
        if (unknown is not null || (parsed.Errors.Count > 0 && parsed.Action is not HelpWithExamples))
        {
            await error.WriteLineAsync($"broker: {Explain(parsed, unknown)}");
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
        root.Subcommands.Add(new ServeCommand(screen, createHost, program).Build());
        root.Subcommands.Add(new BridgeCommand(screen, CreateBridge, program).Build());
        root.Subcommands.Add(new ServiceCommand(screen, new ServeCommand(screen, createHost, ProgramName.Default)).Build());
        foreach (Command command in MessageCommands.Build(shell))
        {
            root.Subcommands.Add(command);
        }

        root.Subcommands.Add(SocketCommands.Build(shell));
        root.Subcommands.Add(new CompletionCommand(output).Build());
        root.SetAction(parsed =>
        {
            if (parsed.GetValue(version))
            {
                // The first line is for programs that ask nats-server and go by the answer what they can use.
                output.WriteLine($"nats-server: v{BrokerServer.ProtocolVersion}");
                if (program == ProgramName.Default)
                {
                    output.WriteLine($"broker: v{CommandVersion.Text}");
                }

                return ExitCode.Success;
            }

            error.WriteLine("broker: say what to do, such as broker serve (broker --help lists it)");
            return ExitCode.Usage;
        });
        return root;
    }

    private static string Explain(ParseResult parsed, string? unknown)
    {
        var command = parsed.CommandResult.Command;
        var help = $"broker {Path(parsed.CommandResult)}--help";
        string? token = unknown ?? (parsed.UnmatchedTokens is [var first, ..] ? first : null);
        if (token is null)
        {
            return $"{parsed.Errors[0].Message} ({help})";
        }
        // What is behind the name may be a secret.
        token = token.StartsWith('-') ? token.Split('=')[0] : token;
        if (token.StartsWith('-') && command.Name == "serve" && UnsupportedFlags.Why(token) is { } why)
        {
            return $"{token} is not supported: {why}";
        }

        var known = token.StartsWith('-')
            ? command.Options.SelectMany(o => o.Aliases.Prepend(o.Name))
            : command.Subcommands.Select(c => c.Name);
        var meant = Spelling.Nearest(token, known.Where(name => name.Length > 2)) is { } name ? $", did you mean {name}?" : "";
        // Beside a password it may be the rest of it.
        var shown = parsed.Tokens.Any(t => t.Value is "--pass" or "--auth" or "--plain-password") ? "" : $" \"{token}\"";
        return token.StartsWith('-')
            ? $"unknown flag {token}{meant} ({help} lists them)"
            : $"unexpected argument{shown}{meant} ({help})";
    }

    // The names that lead to it, each with a space behind.
    private static string Path(CommandResult result)
        => result is { Command: not RootCommand, Parent: CommandResult parent } ? $"{Path(parent)}{result.Command.Name} " : "";
}
