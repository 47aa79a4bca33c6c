using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Sockets;
using Broker.Cli.Terminal;
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
            // Scripts for nats-server pass flags without a command, or no arguments.
            [['-', ..] first, ..] when first.TrimStart('-') is not ("h" or "help" or "v" or "version" or "") =>
                ["serve", .. args],
            [] when program != ProgramName.Default => ["serve"],
            _ => args,
        };
        ParseResult parsed = root.Parse(GoStyleArguments.Normalize(args, root, out string? unknown), new ParserConfiguration
        {
            // Disables response files, because a value may begin with '@', such as the server name @name.
            ResponseFileTokenReplacer = null,
            // If flags could be bundled, -no_advertise would be parsed as -n with the value o_advertise.
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
                // The commands handle signals themselves, because a stop has its own deadline and exit code.
                ProcessTerminationTimeout = null,
            },
            cancellationToken);
    }

    private RootCommand Build()
    {
        var root = new RootCommand("A broker for NATS clients and ZeroMQ programs.");
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
        if (token.StartsWith('-') && command.Name == "serve" && UnsupportedFlags.Why(token) is { } why)
        {
            return $"{token} is not supported: {why}";
        }

        IEnumerable<string> known = token.StartsWith('-')
            ? command.Options.SelectMany(o => o.Aliases.Prepend(o.Name))
            : command.Subcommands.Select(c => c.Name);
        string meant = Spelling.Nearest(token, known.Where(name => name.Length > 2)) is { } name ? $", did you mean {name}?" : "";
        // An unexpected argument may be the rest of a password that was not quoted.
        string shown = parsed.Tokens.Any(t => t.Value is "--pass" or "--auth" or "--plain-password") ? "" : $" \"{token}\"";
        return token.StartsWith('-')
            ? $"unknown flag {token}{meant} ({help} lists them)"
            : $"unexpected argument{shown}{meant} ({help})";
    }

    // Returns the names of the command and its parents, each followed by a space.
    private static string Path(CommandResult result)
        => result is { Command: not RootCommand, Parent: CommandResult parent } ? $"{Path(parent)}{result.Command.Name} " : "";
}
