using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Threading.Channels;
using Broker.Client;

namespace Broker.Streams.Tests.Kills;

/// <summary>Publishes to a stream, handles its messages, deletes and purges, until it is stopped.</summary>
internal sealed class StreamLoad(BrokerConnection connection, KilledStream stream, bool canDelete, CancellationToken stopped)
{
    private const int Publishers = 8;
    private const int Batch = 20;

    /// <summary>Set just before the server is killed: from now on a lost connection is no error.</summary>
    public bool ExpectsKill { get; set; }

    /// <summary>Runs until the connection is lost or the load is stopped.</summary>
    public Task RunAsync()
        => Task.WhenAll([.. Enumerable.Range(0, Publishers).Select(_ => Until(PublishAsync)), Until(HandleAsync), Until(canDelete ? DeleteAsync : PauseAsync)]);

    /// <summary>Receives messages of the consumer. Those without a reply subject are statuses.</summary>
    public static async Task PullAsync(BrokerConnection connection, string stream, int batch, Action<ulong, Message> receive, CancellationToken ended)
    {
        var received = Channel.CreateUnbounded<Message>();
        string inbox = BrokerConnection.NewInbox("kill");
        await using HandlerBinding binding = connection.Subscribe(inbox, (Message message) => { received.Writer.TryWrite(message); });
        string request = $$"""{"batch":{{batch.ToString(CultureInfo.InvariantCulture)}},"expires":200000000}""";
        await connection.PublishAsync($"$JS.API.CONSUMER.MSG.NEXT.{stream}.worker", Encoding.UTF8.GetBytes(request), inbox, cancellationToken: ended);
        for (int i = 0; i < batch; i++)
        {
            Message message = await received.Reader.ReadAsync(ended);
            if (message.ReplyTo?.Split('.') is not ["$JS", "ACK", _, _, _, { } sequence, ..])
            {
                return;
            }

            receive(ulong.Parse(sequence, CultureInfo.InvariantCulture), message);
        }
    }

    private async Task Until(Func<Task> act)
    {
        try
        {
            while (!stopped.IsCancellationRequested)
            {
                await act();
            }
        }
        catch (Exception) when (ExpectsKill)
        {
        }
    }

    private async Task PublishAsync()
    {
        string id = stream.Begin();
        byte[] headers = Encoding.UTF8.GetBytes($"NATS/1.0\r\nNats-Msg-Id: {id}\r\n\r\n");
        Message answer = await connection.RequestAsync(stream.Name, KilledStream.BodyOf(id), Wait.Limit, headers, stopped);
        using var ack = JsonDocument.Parse(answer.Body);
        stream.Ack(id, ack.RootElement.GetProperty("seq").GetUInt64());
    }

    private async Task HandleAsync()
    {
        var handled = new List<Task>();
        await PullAsync(connection, stream.Name, Batch, (sequence, message) => handled.Add(HandleAsync(sequence, message)), stopped);
        await Task.WhenAll(handled);
    }

    // A third of the messages is not acknowledged, and comes again.
    private async Task HandleAsync(ulong sequence, Message message)
    {
        if (Random.Shared.Next(3) > 0)
        {
            stream.BeginHandled(sequence);
            await connection.RequestAsync(message.ReplyTo!, "+ACK"u8.ToArray(), Wait.Limit, cancellationToken: stopped);
            stream.EndHandled(sequence);
        }
    }

    private async Task DeleteAsync()
    {
        await Task.Delay(1, stopped);
        if (Random.Shared.Next(100) == 0)
        {
            ulong first = stream.BeginPurge(keep: 300);
            await CallAsync($"STREAM.PURGE.{stream.Name}", $$"""{"seq":{{first}}}""");
            stream.EndPurge(first);
        }
        else if (stream.BeginDelete() is var victim and > 0)
        {
            await CallAsync($"STREAM.MSG.DELETE.{stream.Name}", $$"""{"seq":{{victim}}}""");
            stream.EndDelete(victim);
        }
    }

    private Task PauseAsync() => Task.Delay(Timeout.Infinite, stopped);

    private async Task CallAsync(string operation, string body)
        => await connection.RequestAsync("$JS.API." + operation, Encoding.UTF8.GetBytes(body), Wait.Limit, cancellationToken: stopped);
}
