using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer pause</c> and <c>resume</c>.</summary>
internal sealed class ConsumerPauseCommand(ShellStreams shell)
{
    private const string ExamplesOfPause = """
        Examples:
          broker consumer pause ORDERS billing 1h --force
          broker consumer pause ORDERS billing 2030-01-31T06:00:00Z --force
        """;

    private const string ExamplesOfResume = """
        Examples:
          broker consumer resume ORDERS billing
        """;

    private readonly ConsumerArguments _names = new();
    private readonly Argument<DateTimeOffset> _until = new("until")
    {
        Description = "How long the consumer delivers nothing, such as 1h, or until when, such as 2030-01-31T06:00:00Z",
        CustomParser = static result =>
        {
            string text = result.Tokens[0].Value;
            if (!Moment.TryParse(text, isPast: false, out DateTimeOffset until))
            {
                result.AddError($"the end of the pause must be a time such as 1h, or a date such as 2030-01-31T06:00:00Z, not \"{text}\"");
            }

            return until;
        },
    };

    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command BuildPause()
    {
        Command command = _names.AddTo(new Command("pause", "Pauses the deliveries of a consumer. Needs nats-server 2.11 or later.")).With(_until);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, ExamplesOfPause, PauseAsync);
    }

    public Command BuildResume() => StreamsCommand.Complete(
        _names.AddTo(new Command("resume", "Resumes the deliveries of a paused consumer. Needs nats-server 2.11 or later.")).With(_json), shell, ExamplesOfResume, ResumeAsync);

    private async Task<int> PauseAsync(StreamsRun run, ParseResult flags)
    {
        DateTimeOffset until = flags.GetValue(_until);
        ConsumerInfo consumer = await run.Streams.GetConsumerInfoAsync(_names.Stream(flags), _names.Consumer(flags), run.Stop);
        if (!await _confirmation.IsGivenAsync(flags, $"Pause the consumer {consumer.Name} of the stream {consumer.Stream} until {ValueText.Time(until)}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        bool isPaused = await AskAsync(run, () => run.Streams.PauseConsumerAsync(consumer.Stream, consumer.Name, until, run.Stop));
        if (!isPaused)
        {
            shell.Complain($"the consumer is not paused, because {ValueText.Time(until)} is over");
            return ExitCode.Failure;
        }

        Tell(consumer, flags, $"paused the consumer {consumer.Name} of the stream {consumer.Stream} until {ValueText.Time(until)}", until);
        return ExitCode.Success;
    }

    private async Task<int> ResumeAsync(StreamsRun run, ParseResult flags)
    {
        ConsumerInfo consumer = await run.Streams.GetConsumerInfoAsync(_names.Stream(flags), _names.Consumer(flags), run.Stop);
        await AskAsync(run, async () =>
        {
            await run.Streams.ResumeConsumerAsync(consumer.Stream, consumer.Name, run.Stop);
            return true;
        });
        Tell(consumer, flags, $"resumed the consumer {consumer.Name} of the stream {consumer.Stream}", null);
        return ExitCode.Success;
    }

    private void Tell(ConsumerInfo consumer, ParseResult flags, string text, DateTimeOffset? until) => Done.Print(
        shell, flags.GetValue(_json), text, ("stream", consumer.Stream), ("consumer", consumer.Name), ("paused", until is not null), ("pause_until", until));

    // An older server does not answer. The consumer exists, so another cause is not likely.
    private static async Task<bool> AskAsync(StreamsRun run, Func<Task<bool>> request)
    {
        try
        {
            return await request();
        }
        catch (Exception e) when (e is StreamsUnavailableException or TimeoutException)
        {
            throw new IOException($"the server ({run.Client.Connection.ServerInfo?.Version}) does not answer; only nats-server 2.11 and later can pause consumers", e);
        }
    }
}
