using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream add</c>.</summary>
internal sealed class StreamAddCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream add ORDERS --subjects 'orders.>'
          broker stream add JOBS --subjects 'jobs.*' --retention workqueue --max-age 7d --max-bytes 1GB
          broker stream add COPY --mirror ORDERS --storage memory
          broker stream add ORDERS --config orders.json
        """;

    // The window of the server, which may not be longer than messages live.
    private static readonly TimeSpan UsualWindow = TimeSpan.FromMinutes(2);

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the new stream");
    private readonly StreamConfigFlags _config = new();
    private readonly StreamConfigFile _file = new();
    private readonly Option<string?> _mirror = new("--mirror") { Description = "Stream that this one copies", HelpName = "stream" };
    private readonly Option<string[]> _sources = StorageFlags.List("--source", "Streams whose messages are stored too; may be repeated", "streams");

    // The nats command asks for each option that is not given, unless it has this flag. This command never asks.
    private readonly Option<bool> _defaults = new("--defaults") { Description = "Has no effect", Hidden = true };
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("add", "Creates a stream. Without a flag, an option has the server's default.").WithAliases("create", "new").With(_stream);
        _config.AddTo(command);
        _file.AddTo(command);
        return StreamsCommand.Complete(command.With(_mirror, _sources, _defaults, _json), shell, Examples, AddAsync);
    }

    private async Task<int> AddAsync(StreamsRun run, ParseResult flags)
    {
        string? mirror = flags.GetValue(_mirror);
        string[] sources = flags.GetValue(_sources) ?? [];
        StreamConfig? given = _file.Read(flags);
        if (given is null && !_config.HasSubjects(flags) && mirror is null && sources.Length == 0)
        {
            throw new UsageException("--subjects is missing: the subjects whose messages the stream stores, such as 'orders.>'");
        }

        // A direct read is faster, and whoever may read the stream may do it.
        StreamConfig initial = (given ?? new StreamConfig { AllowDirect = true }) with { Name = flags.GetRequiredValue(_stream) };
        StreamConfig config = _config.Over(initial, flags) with
        {
            Mirror = mirror is null ? given?.Mirror : new StreamSource { Name = mirror },
            Sources = sources.Length == 0 ? given?.Sources : [.. sources.Select(static name => new StreamSource { Name = name })],
        };
        if (config.MaxAge > TimeSpan.Zero && config.MaxAge < UsualWindow && config.DuplicateWindow == TimeSpan.Zero)
        {
            config.DuplicateWindow = config.MaxAge;
        }

        StreamInfoCommand.Print(shell, await run.Streams.CreateStreamAsync(config, run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
