using System.Globalization;
using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>
/// A connection of an official client in its own process, which executes commands of the test. Received messages and
/// the output of callbacks are stored until the test reads them.
/// </summary>
internal sealed class NatsSession : IAsyncDisposable
{
    // In milliseconds. The limit only ends a test that hangs.
    private const int WaitLimit = 60_000;

    private readonly PeerProcess _process;
    private readonly Queue<string> _events = new();
    private readonly Dictionary<string, Queue<Message>> _messages = new(StringComparer.Ordinal);

    private NatsSession(PeerProcess process) => _process = process;

    /// <summary>Connects with options such as <c>user=ada</c>, which peers/README.md lists.</summary>
    public static async Task<NatsSession> ConnectAsync(string client, string urls, params string[] options)
    {
        // libnats 3.4 signs about one nonce in eighty wrongly, with any key: nats-server refuses it as well (4 of 300
        // logins).
        int attempts = client == "nats.c" && options.Any(static o => o.StartsWith("nkey=", StringComparison.Ordinal)) ? 6 : 1;
        string? refusal = null;
        for (int attempt = 0; attempt < attempts; attempt++)
        {
            (NatsSession? session, refusal) = await TryConnectAsync(client, urls, options);
            if (session is not null)
            {
                return session;
            }
        }

        throw new InvalidOperationException($"{client} could not connect to {urls}: {refusal}");
    }

    /// <summary>Tries to connect once, and returns the error of the client.</summary>
    public static async Task<string> RefusalAsync(string client, string urls, params string[] options)
    {
        (NatsSession? session, string? refusal) = await TryConnectAsync(client, urls, [.. options, "reconnect=no"]);
        if (session is not null)
        {
            await session.DisposeAsync();
        }

        Assert.NotNull(refusal);
        return refusal;
    }

    public Task SubscribeAsync(string id, string subject, string? queue = null)
        => OkAsync("sub", queue is null ? [id, subject] : [id, subject, queue]);

    /// <summary>Replies to each request with its payload, the given number of times.</summary>
    public Task RespondAsync(string id, string subject, int answers = 1) => OkAsync("respond", id, subject, Text(answers));

    /// <summary>Ends the subscription, at once or after a total number of messages.</summary>
    public Task UnsubscribeAsync(string id, int? after = null) => OkAsync("unsub", after is { } max ? [id, Text(max)] : [id]);

    public Task PublishAsync(string subject, string payload, params string[] headers) => OkAsync("pub", [subject, payload, .. headers]);

    /// <summary>Publishes a request without waiting for a reply.</summary>
    public Task AskAsync(string subject, string reply, string payload) => OkAsync("ask", subject, reply, payload);

    /// <summary>Publishes the numbers from 0 to one less than the count.</summary>
    public Task BurstAsync(string subject, int count) => OkAsync("burst", subject, Text(count));

    public Task FlushAsync() => OkAsync("flush");

    public Task RoundTripAsync() => OkAsync("rtt");

    /// <summary>
    /// Drains a subscription and waits until all its messages are reported, or begins to drain the connection.
    /// </summary>
    public Task DrainAsync(string? id = null) => OkAsync("drain", id is null ? [] : [id]);

    public async Task<string> RequestAsync(string subject, string payload)
        => Assert.Single(await OkAsync("request", subject, payload, Text(WaitLimit)));

    /// <summary>Sends a request and returns the given number of replies.</summary>
    public Task<string[]> RequestManyAsync(string subject, string payload, int count)
        => OkAsync("many", subject, payload, Text(count), Text(WaitLimit));

    /// <summary>Sends a request that must fail, and returns the error of the client.</summary>
    public Task<string> RequestFailureAsync(string subject, int timeoutMilliseconds = WaitLimit)
        => FailureAsync("request", subject, "ask", Text(timeoutMilliseconds));

    /// <summary>Publishes a message that the client itself must refuse, and returns its error.</summary>
    public Task<string> PublishFailureAsync(string subject, string payload) => FailureAsync("pub", subject, payload);

    /// <summary>Returns the next message of a subscription.</summary>
    public async Task<Message> ReadAsync(string id)
    {
        Message? message;
        while (!Of(id).TryDequeue(out message))
        {
            Keep(await _process.ReadLineAsync());
        }

        return message;
    }

    /// <summary>Returns the payloads of a subscription that have arrived but were not read.</summary>
    public IReadOnlyList<string> Received(string id) => [.. Of(id).Select(message => message.PayloadText)];

    /// <summary>Skips events of callbacks until one begins with the word, and returns the rest of that event.</summary>
    public async Task<string> EventAsync(string word)
    {
        while (true)
        {
            while (_events.TryDequeue(out string? text))
            {
                if (text.StartsWith(word, StringComparison.Ordinal))
                {
                    return text[word.Length..].Trim();
                }
            }

            Keep(await _process.ReadLineAsync());
        }
    }

    /// <summary>Fails if an unread event of a callback begins with the word.</summary>
    public void AssertNoEvent(string word)
        => Assert.DoesNotContain(_events, text => text.StartsWith(word, StringComparison.Ordinal));

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private static async Task<(NatsSession? Session, string? Refusal)> TryConnectAsync(string client, string urls, string[] options)
    {
        PeerProcess process = await Peers.Nats(client).StartAsync("nats_session", [urls, .. options]);
        try
        {
            while (true)
            {
                // The output of callbacks before the connection is established belongs to the attempt.
                string line = await process.ReadLineAsync();
                if (line.StartsWith("READY", StringComparison.Ordinal))
                {
                    return (new NatsSession(process), null);
                }

                if (line.StartsWith("FAILED ", StringComparison.Ordinal))
                {
                    await process.DisposeAsync();
                    return (null, line[7..]);
                }
            }
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private async Task<string[]> OkAsync(string command, params string[] words)
    {
        string answer = await CommandAsync(command, words);
        return answer.StartsWith("OK", StringComparison.Ordinal)
            ? [.. answer.Split(' ', StringSplitOptions.RemoveEmptyEntries).Skip(1).Select(word => Encoding.UTF8.GetString(Hex.Decode(word)))]
            : throw _process.Failure($"answered \"{answer}\" to {command} {words.FirstOrDefault()}");
    }

    private async Task<string> FailureAsync(string command, params string[] words)
    {
        string answer = await CommandAsync(command, words);
        Assert.StartsWith("ERR ", answer, StringComparison.Ordinal);
        return answer[4..];
    }

    private async Task<string> CommandAsync(string command, string[] words)
    {
        await _process.WriteLineAsync(string.Join(' ', words.Select(word => Hex.Encode(Encoding.UTF8.GetBytes(word))).Prepend(command)));
        while (true)
        {
            string line = await _process.ReadLineAsync();
            if (line.StartsWith("OK", StringComparison.Ordinal) || line.StartsWith("ERR ", StringComparison.Ordinal))
            {
                return line;
            }

            Keep(line);
        }
    }

    private void Keep(string line)
    {
        if (line.StartsWith("EVENT ", StringComparison.Ordinal))
        {
            _events.Enqueue(line[6..]);
            return;
        }

        if (!line.StartsWith("MSG ", StringComparison.Ordinal))
        {
            throw _process.Failure($"wrote \"{line}\" where a message or an event was due");
        }

        int idEnd = line.IndexOf(' ', 4);
        Of(line[4..idEnd]).Enqueue(Message.Parse(line[4..]));
    }

    private Queue<Message> Of(string id)
    {
        if (!_messages.TryGetValue(id, out Queue<Message>? messages))
        {
            _messages[id] = messages = new();
        }

        return messages;
    }
}
