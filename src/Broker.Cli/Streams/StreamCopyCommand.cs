using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream copy</c>.</summary>
internal sealed class StreamCopyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream copy ORDERS --from nats://127.0.0.1:4333
          broker stream copy KV_settings --from nats://user:password@127.0.0.1:4333 --server nats://127.0.0.1:4222

        The sequences of messages, and so the revisions of keys, stay the same. The times of messages are those of the copy.
        Consumers are not copied. Exit codes: 0 if every message is there; 1 if a server cannot be reached or refuses it,
        or the stream exists already; 2 if the command line is wrong.
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream: KV_NAME for a bucket, OBJ_NAME for an object store");

    private readonly Option<string> _from = new("--from")
    {
        Description = "URL of the server that has the stream, with its user and password if it wants them",
        HelpName = "url",
        Required = true,
    };

    private readonly Option<string?> _credentials = new("--from-creds") { Description = "Credentials file for that server", HelpName = "file" };
    private readonly Option<string?> _domain = new("--from-js-domain") { Description = "JetStream domain of the stream on that server", HelpName = "name" };
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build() => StreamsCommand.Complete(
        new Command("copy", "Copies a stream with its messages from another server, for example a nats-server. It changes nothing there.")
            .With(_stream, _from, _credentials, _domain, _json),
        shell, Examples, CopyAsync);

    private async Task<int> CopyAsync(StreamsRun run, ParseResult flags)
    {
        await using BrokerConnection connection = await ConnectAsync(flags, run.Stop);
        using StreamsClient source = connection.Streams(new StreamsOptions { Domain = flags.GetValue(_domain), RequestTimeout = run.Timeout });
        StreamInfo? from = await FindAsync(source, flags.GetRequiredValue(_stream), run.Stop);
        if (from is null)
        {
            return ExitCode.Failure;
        }

        if (await run.Streams.FindStreamAsync(from.Config.Name, run.Stop) is not null)
        {
            shell.Complain($"the stream {from.Config.Name} exists already; broker stream rm removes it");
            return ExitCode.Failure;
        }

        if (Refusal(from.Config) is { } reason)
        {
            shell.Complain($"the stream {from.Config.Name} cannot be copied: {reason}");
            return ExitCode.Failure;
        }

        var copier = new StreamCopier(source, run.Streams, from);
        StreamInfo copy;
        try
        {
            await using (shell.ShowProgress(() => string.Create(CultureInfo.InvariantCulture, $"{copier.Copied} of {copier.Total} messages copied")))
            {
                copy = await copier.CopyAsync(run.Stop);
            }
        }
        catch when (copier.HasCreated)
        {
            await RemoveAsync(run.Streams, from.Config.Name);
            throw;
        }

        return Report(from, copy, copier, flags.GetValue(_json));
    }

    // Also after Ctrl+C. The error of the copy follows.
    private async Task RemoveAsync(StreamsClient streams, string stream)
    {
        try
        {
            await streams.DeleteStreamAsync(stream, CancellationToken.None);
            shell.Complain($"the copy has failed, and the new stream {stream} is removed");
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            shell.Complain($"the copy has failed, and the new stream {stream} could not be removed: {e.Message}");
        }
    }

    private static string? Refusal(StreamConfig config)
        => config.Retention == RetentionPolicy.Interest ? "it has the retention interest, and without consumers it would keep no message"
        : config.Mirror is { } mirror ? $"it is a mirror; copy the stream {mirror.Name}"
        : config.Sources is { Count: > 0 } && config.Subjects is not { Count: > 0 } ? "it has no subjects of its own; copy the streams that are its sources"
        : null;

    private int Report(StreamInfo from, StreamInfo copy, StreamCopier copier, bool isJson)
    {
        StreamInfoCommand.Print(shell, copy, isJson);
        shell.Say($"copied {ValueText.Count(copier.Copied, "message", "messages")}; {ValueText.Count(copier.Placeholders, "sequence is", "sequences are")} empty, as in the original");
        if (from.State.Consumers > 0)
        {
            shell.Say($"{ValueText.Count(from.State.Consumers, "consumer is", "consumers are")} not copied");
        }

        if (copier.Lost.Count > 0)
        {
            shell.Say($"options that the copy does not have: {string.Join(", ", copier.Lost)}");
        }

        if (copier.Copied != copier.Total || copy.State.Messages != (ulong)copier.Copied)
        {
            shell.Complain($"the original had {copier.Total} messages and the copy has {copy.State.Messages}: the original has changed during the copy, or limits have removed messages");
        }

        return ExitCode.Success;
    }

    private async Task<StreamInfo?> FindAsync(StreamsClient source, string stream, CancellationToken stop)
    {
        try
        {
            return await source.GetStreamAsync(stream, null, stop);
        }
        catch (StreamException e)
        {
            shell.Complain($"at the server of --from: {await new StreamErrors(source).TextOfAsync(e, stop)}");
            return null;
        }
    }

    private async Task<BrokerConnection> ConnectAsync(ParseResult flags, CancellationToken stop)
    {
        var options = new ClientOptions { Servers = [flags.GetRequiredValue(_from)], Name = "broker stream copy", MaxReconnectAttempts = 0 };
        if (flags.GetValue(_credentials) is { } file)
        {
            try
            {
                options = ClientCredentials.Over(options, file);
            }
            catch (Exception e) when (ClientCredentials.IsUnusable(e))
            {
                throw new UsageException($"--from-creds: {e.Message}");
            }
        }

        return await BrokerConnection.ConnectAsync(options, stop);
    }
}
