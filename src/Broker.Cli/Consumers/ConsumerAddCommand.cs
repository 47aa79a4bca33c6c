using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer add</c>.</summary>
internal sealed class ConsumerAddCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer add ORDERS billing
          broker consumer add ORDERS mails --filter 'orders.new' --deliver new --max-deliver 5 --backoff 1s,10s,1m
          broker consumer add ORDERS screen --target screens.orders --ack none
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Argument<string?> _consumer = new("consumer")
    {
        Description = "Name of the new consumer [default: chosen by the command, for an ephemeral consumer]",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly ConsumerConfigFlags _config = new();
    private readonly Option<ConsumerConfig?> _deliver = DeliverFlag.Create();
    private readonly Option<string?> _ack = StorageFlags.Choice("--ack", "Messages that must be acknowledged", StreamNames.Acks);
    private readonly Option<string?> _replay = StorageFlags.Choice("--replay", "Pace of stored messages", StreamNames.Replays);
    private readonly Option<bool> _ephemeral = new("--ephemeral") { Description = "The server deletes the consumer when nobody uses it" };
    private readonly Option<bool> _memory = new("--memory") { Description = "The server keeps the state of the consumer in memory only" };
    private readonly Option<string?> _target = new("--target") { Description = "Make a push consumer, which delivers to this subject", HelpName = "subject" };
    private readonly Option<string?> _group = new("--deliver-group") { Description = "Queue group of a push consumer", HelpName = "group" };
    private readonly Option<TimeSpan?> _heartbeat = StorageFlags.Time("--heartbeat", "Pause after which a push consumer sends a heartbeat");
    private readonly Option<bool> _flowControl = new("--flow-control") { Description = "The server sends a push consumer no more than its reader keeps up with" };

    // The nats command asks for what is not given, unless it has these flags. This command never asks.
    private readonly Option<bool> _pull = new("--pull") { Description = "Has no effect", Hidden = true };
    private readonly Option<bool> _defaults = new("--defaults") { Description = "Has no effect", Hidden = true };
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("add", "Creates a consumer of a stream. Without a flag, an option has the server's default.")
            .WithAliases("create", "new").With(_stream, _consumer, _deliver, _ack, _replay, _ephemeral, _memory);
        _config.AddTo(command);
        return StreamsCommand.Complete(command.With(_target, _group, _heartbeat, _flowControl, _pull, _defaults, _json), shell, Examples, AddAsync);
    }

    private async Task<int> AddAsync(StreamsRun run, ParseResult flags)
    {
        string? name = flags.GetValue(_consumer);
        bool isEphemeral = name is null || flags.GetValue(_ephemeral);
        ConsumerConfig config = DeliverFlag.Over(_config.Over(new ConsumerConfig(), flags), flags.GetValue(_deliver)) with
        {
            Name = name,
            Durable = isEphemeral ? null : name,
            AckPolicy = flags.GetValue(_ack) is { } ack ? (AckPolicy)Array.IndexOf(StreamNames.Acks, ack) : AckPolicy.Explicit,
            ReplayPolicy = flags.GetValue(_replay) is { } replay ? (ReplayPolicy)Array.IndexOf(StreamNames.Replays, replay) : ReplayPolicy.Instant,
            MemoryStorage = flags.GetValue(_memory),
            DeliverSubject = flags.GetValue(_target),
            DeliverGroup = flags.GetValue(_group),
            IdleHeartbeat = flags.GetValue(_heartbeat) ?? TimeSpan.Zero,
            FlowControl = flags.GetValue(_flowControl),
        };
        if (config.DeliverSubject is null && (config.DeliverGroup is not null || config.FlowControl || config.IdleHeartbeat > TimeSpan.Zero))
        {
            throw new UsageException("--deliver-group, --heartbeat and --flow-control are for push consumers, which need --target");
        }

        StreamConsumer consumer = await run.Streams.CreateConsumerAsync(flags.GetRequiredValue(_stream), config, run.Stop);
        ConsumerInfoCommand.Print(shell, consumer.Info, flags.GetValue(_json));
        return ExitCode.Success;
    }
}
