using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Auth;
using Broker.Cli.Bench;
using Broker.Cli.Buckets;
using Broker.Cli.Consumers;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Objects;
using Broker.Cli.Secrets;
using Broker.Cli.Servers;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Sockets;
using Broker.Cli.Streams;
using Broker.Cli.Terminal;
using Broker.Cli.Top;
using Broker.Cli.Tracing;
using Broker.Client;
using Broker.Hosting;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The <c>broker</c> command: parses the arguments, runs the subcommand and returns the exit code.</summary>
/// <param name="output">Standard output.</param>
/// <param name="error">Standard error.</param>
/// <param name="screen">Writes to both outputs while the server or the bridge runs.</param>
/// <param name="shell">Standard input and both outputs, for the commands that send or show messages.</param>
/// <param name="createHost">Creates the host of <c>broker serve</c>.</param>
/// <param name="program">The name by which the program was started.</param>
internal sealed class BrokerCommand(
    TextWriter output, TextWriter error, Screen screen, ShellStreams shell, Func<IServeHost> createHost, string program = ProgramName.Default)
{
    /// <summary>
    /// Creates the host of <c>broker bridge</c>. The argument adds the servers and credentials to the bridge's client
    /// options.
    /// </summary>
    public Func<Func<ClientOptions, ClientOptions>, IServeHost> CreateBridge { get; init; } =
        static identify => new BridgeHost(identify);

    private const string Examples = """
        Examples:
          broker serve --zeromq
          broker sub 'zmq.>'
          broker zmq pub --connect tcp://127.0.0.1:5556 weather.oslo "4 degrees"
          broker serve --help
        """;

    public async Task<int> RunAsync(IReadOnlyList<string> args, CancellationToken cancellationToken)
    {
        RootCommand root = Build();
        args = args switch
        {
            ["help" or "version"] => ["--" + args[0]],
            ["help", ..] => [.. args.Skip(1), "--help"],
            // Scripts for nats-server pass flags without a command, or no arguments.
            [['-', ..] first, ..] when first.TrimStart('-') is not ("h" or "help" or "v" or "version" or "") =>
                ["serve", .. args],
            [] when program != ProgramName.Default => ["serve"],
            _ => args,
        };
        var arguments = GoStyleArguments.Of(args, root);
        ParseResult parsed = root.Parse(arguments.Normalized, new ParserConfiguration
        {
            // Disables response files, because a value may begin with '@', such as the server name @name.
            ResponseFileTokenReplacer = null,
            // If flags could be bundled, -no_advertise would be parsed as -n with the value o_advertise.
            EnablePosixBundling = false,
        });
        if (arguments.Unknown is not null || (parsed.Errors.Count > 0 && parsed.Action is not HelpWithExamples))
        {
            await error.WriteLineAsync($"broker: {SafeText.OneLine(Explain(parsed, arguments.Unknown))}");
            // A monitoring system takes the usual exit code for a critical status.
            return parsed.CommandResult.Command is CheckCommand ? (int)CheckStatus.Unknown : ExitCode.Usage;
        }

        if (!Accept(arguments.Unsupported, parsed))
        {
            return ExitCode.Usage;
        }

        return await parsed.InvokeAsync(
            new InvocationConfiguration
            {
                Output = output,
                Error = error,
                EnableDefaultExceptionHandler = false,
                // The commands handle signals themselves, because a stop has its own deadline and exit code.
                ProcessTerminationTimeout = null,
            },
            cancellationToken);
    }

    /// <summary>Builds the root command with all its subcommands.</summary>
    internal RootCommand Build()
    {
        var root = new RootCommand("A broker for NATS clients and ZeroMQ programs.");
        root.Options.Clear();
        var version = new Option<bool>("--version", "-v") { Description = "Show the version" };
        root.Options.Add(version);
        HelpWithExamples.Add(root, Examples);
        root.Subcommands.Add(new ServeCommand(screen, createHost, program).Build());
        root.Subcommands.Add(new BridgeCommand(screen, CreateBridge, program).Build());
        root.Subcommands.Add(new ConfigCommand(screen, shell).Build());
        root.Subcommands.Add(new ServiceCommand(screen, new ServeCommand(screen, createHost, ProgramName.Default)).Build());
        foreach (Command command in MessageCommands.Build(shell))
        {
            root.Subcommands.Add(command);
        }

        root.Subcommands.Add(SocketCommands.Build(shell));
        root.Subcommands.Add(StreamCommands.Build(shell));
        root.Subcommands.Add(ConsumerCommands.Build(shell));
        root.Subcommands.Add(BucketCommands.Build(shell));
        root.Subcommands.Add(ObjectCommands.Build(shell));
        root.Subcommands.Add(ServerCommands.Build(shell));
        root.Subcommands.Add(new TopCommand(shell).Build());
        root.Subcommands.Add(new TraceCommand(shell).Build());
        root.Subcommands.Add(new BenchCommand(shell).Build());
        root.Subcommands.Add(AuthCommands.Build(shell));
        root.Subcommands.Add(new KeysCommand(shell).Build());
        root.Subcommands.Add(new PasswordCommand(shell).Build());
        root.Subcommands.Add(new CompletionCommand(output).Build());
        root.SetAction(parsed =>
        {
            if (parsed.GetValue(version))
            {
                // Programs read the first line to find out which features of nats-server they can use.
                output.WriteLine($"nats-server: v{BrokerServer.ProtocolVersion}");
                if (program == ProgramName.Default)
                {
                    output.WriteLine($"broker: v{CommandVersion.Text}");
                }

                return ExitCode.Success;
            }

            error.WriteLine("broker: a command is missing, such as broker serve (broker --help lists the commands)");
            return ExitCode.Usage;
        });
        return root;
    }

    // Writes an error or a warning for each flag of a feature that the broker does not have.
    private bool Accept(IReadOnlyList<UnsupportedFlag> flags, ParseResult parsed)
    {
        bool ignores = flags.Count > 0 && parsed.GetValue<bool>(ServeOptions.IgnoreUnsupportedName);
        foreach (UnsupportedFlag flag in flags)
        {
            if (!ignores || !flag.CanBeIgnored)
            {
                string way = flag.CanBeIgnored ? $" ({ServeOptions.IgnoreUnsupportedName} starts without it)" : "";
                error.WriteLine($"broker: {flag.Typed} is not supported: {flag.Why}{way}");
                return false;
            }

            error.WriteLine($"broker: warning: {flag.Typed} is not supported: {flag.Why}");
        }

        return true;
    }

    private static string Explain(ParseResult parsed, string? unknown)
    {
        Command command = parsed.CommandResult.Command;
        string help = $"broker {Path(parsed.CommandResult)}--help";
        string? token = unknown ?? (parsed.UnmatchedTokens is [var first, ..] ? first : null);
        if (token is null)
        {
            return $"{parsed.Errors[0].Message} ({help})";
        }

        // The value after '=' may be a secret.
        token = token.StartsWith('-') ? token.Split('=')[0] : token;
        IEnumerable<string> known = token.StartsWith('-')
            ? command.Options.SelectMany(o => o.Aliases.Prepend(o.Name))
            : command.Subcommands.Where(static c => !c.Hidden).SelectMany(static c => c.Aliases.Prepend(c.Name));
        string meant = Spelling.Nearest(token, known.Where(name => name.Length > 2)) is { } name ? $", did you mean {name}?" : "";
        // An unexpected argument may be the rest of a password that was not quoted.
        string shown = parsed.Tokens.Any(t => t.Value is "--pass" or "--auth" or "--plain-password") ? "" : $" \"{token}\"";
        return token.StartsWith('-') ? $"unknown flag {token}{meant} ({help} lists them)"
            : command.Subcommands.Count > 0 ? $"unknown command{shown}{meant} ({help} lists the commands)"
            : $"unexpected argument{shown}{meant} ({help})";
    }

    // Returns the names of the command and its parents, each followed by a space.
    private static string Path(CommandResult result)
        => result is { Command: not RootCommand, Parent: CommandResult parent } ? $"{Path(parent)}{result.Command.Name} " : "";
}
