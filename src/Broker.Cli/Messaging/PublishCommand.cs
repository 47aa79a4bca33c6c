using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary><c>broker pub</c>.</summary>
internal sealed class PublishCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker pub weather.oslo "4 degrees"
          broker pub -H "Trace: 1" orders.new '{"id":7}'
          broker pub --count 1000 numbers "message {number}"
          broker pub --lines log.app < app.log

        Exit codes: 0 if the server has received all messages; 1 if not; 2 if the command line is wrong.
        """;

    private readonly SentMessage _message = new("Subject to publish to", "Body of the message [default: all of standard input]");
    private readonly Option<string?> _replyTo = new("--reply-to") { Description = "Subject for replies", HelpName = "subject" };
    private readonly Option<long?> _count = CommonOptions.Count(
        "Number of times to publish the message; {number} in the body becomes the number of the message");

    private readonly Option<bool> _lines = new("--lines") { Description = "Publish each line of standard input as a message" };
    private readonly Option<bool> _hex = CommonOptions.Hex("Read the body as hexadecimal digits");
    private readonly Option<bool> _json = new("--json") { Description = "Print the summary as JSON" };
    private readonly Option<TimeSpan?> _timeout =
        CommonOptions.Time("--timeout", "How long the server may neither answer nor read anything [default: 10s]");

    public Command Build()
    {
        var command = new Command("pub", "Publishes messages.");
        command.Aliases.Add("publish");
        _message.AddTo(command, _replyTo, _count, _lines, _hex, _json, _timeout);
        // The command does not reconnect: it could not know which messages the lost server had received.
        return ClientCommand.Complete(command, shell, Examples, flags => flags.GetValue(_timeout), reconnects: false, PublishAsync);
    }

    private async Task<int> PublishAsync(ClientRun run, ParseResult flags)
    {
        string subject = _message.Subject(flags);
        ReadOnlyMemory<byte> headers = _message.Headers(flags);
        string? replyTo = flags.GetValue(_replyTo);
        long messages = 0;
        long bytes = 0;
        long? count = flags.GetValue(_count);
        long begin = Stopwatch.GetTimestamp();
        await using (shell.ShowProgress(() => Progress(Volatile.Read(ref messages), count, Stopwatch.GetElapsedTime(begin))))
        {
            await foreach (ReadOnlyMemory<byte> body in BodiesAsync(flags, run.Stop))
            {
                await run.Connection.PublishAsync(subject, body, replyTo, headers, run.Stop);
                Volatile.Write(ref messages, messages + 1);
                bytes += body.Length;
            }

            if (!await run.ConfirmAsync())
            {
                return ExitCode.Failure;
            }
        }

        Tell(subject, messages, bytes, Stopwatch.GetElapsedTime(begin), flags.GetValue(_json));
        return ExitCode.Success;
    }

    private async IAsyncEnumerable<ReadOnlyMemory<byte>> BodiesAsync(
        ParseResult flags, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken stop)
    {
        string? given = _message.Body(flags);
        if (flags.GetValue(_lines))
        {
            if (given is not null || flags.GetValue(_count) is not null || flags.GetValue(_hex))
            {
                throw new UsageException("--lines reads the bodies from standard input, so it cannot be combined with a body, --count or --hex");
            }

            await foreach (ReadOnlyMemory<byte> line in StandardInput.ReadLinesAsync(shell.Input, stop))
            {
                yield return line;
            }

            yield break;
        }

        if (given is null && !shell.IsInputRedirected)
        {
            throw new UsageException("the body is missing: give it after the subject or on standard input (broker pub --help)");
        }

        byte[] body = given is not null ? BodyText.Parse(given, flags.GetValue(_hex))
            : flags.GetValue(_hex) ? BodyText.Parse(Encoding.UTF8.GetString(await StandardInput.ReadAllAsync(shell.Input, stop)).Trim(), isHex: true)
            : await StandardInput.ReadAllAsync(shell.Input, stop);
        if (flags.GetValue(_count) is not { } count)
        {
            yield return body;
            yield break;
        }

        BodyTemplate? template = given is not null && given.Contains("{number}", StringComparison.Ordinal) ? new BodyTemplate(given) : null;
        for (long number = 1; number <= count; number++)
        {
            yield return template?.Fill("{body}"u8, "{subject}", number) ?? body;
        }
    }

    private static string Progress(long messages, long? count, TimeSpan time)
    {
        string all = count is { } total ? string.Create(CultureInfo.InvariantCulture, $" of {total:N0} messages ({100.0 * messages / total:N0} %)") : " messages";
        return string.Create(CultureInfo.InvariantCulture, $"published {messages:N0}{all}, {Rate(messages, time)}");
    }

    private static string Rate(long messages, TimeSpan time)
        => string.Create(CultureInfo.InvariantCulture, $"{messages / Math.Max(time.TotalSeconds, 1e-6):N0} messages/s");

    private void Tell(string subject, long messages, long bytes, TimeSpan time, bool asJson)
    {
        var lines = new LineOutput(shell);
        if (asJson)
        {
            lines.WriteJson(json =>
            {
                json.WriteStartObject();
                json.WriteString("subject", subject);
                json.WriteNumber("messages", messages);
                json.WriteNumber("bytes", bytes);
                json.WriteNumber("seconds", Math.Round(time.TotalSeconds, 6));
                json.WriteEndObject();
            });
        }
        else
        {
            string many = messages == 1 ? "1 message" : string.Create(CultureInfo.InvariantCulture, $"{messages:N0} messages");
            lines.Write(string.Create(CultureInfo.InvariantCulture, $"published {many}, {bytes:N0} bytes, to "));
            lines.WriteHighlighted(subject);
            if (messages > 1)
            {
                lines.Write(string.Create(CultureInfo.InvariantCulture, $" in {time.TotalSeconds:N3} s ({Rate(messages, time)})"));
            }
        }

        lines.EndLine();
        lines.Flush();
    }
}
