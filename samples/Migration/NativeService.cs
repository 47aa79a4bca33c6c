using System.Globalization;
using System.Text;
using System.Threading.Channels;
using Broker.Client;

namespace Migration;

/// <summary>
/// A service that sends its log lines to a pipeline as a NATS client. It implements the ingress of docs/push-pull.md
/// for one egress. It sends no more than the window of the egress, so it waits if the collector stops.
/// </summary>
public sealed class NativeService
{
    private readonly BrokerConnection _client;
    private readonly string _pipeline;
    private readonly string _name;
    private readonly TaskCompletionSource<string> _egress = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Channel<bool> _progress = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private long _acknowledged;
    private long _window;

    /// <summary>Subscribes and asks egresses to announce themselves.</summary>
    public NativeService(BrokerConnection client, string pipeline, string name)
    {
        (_client, _pipeline, _name) = (client, pipeline, name);
        client.Subscribe($"{pipeline}._egress", OnEgress);
        client.Subscribe($"{pipeline}._in.{name}.*", OnAcknowledgement);
        client.Publish($"{pipeline}._ingress", default, headers: Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: {name}\r\n\r\n"));
    }

    /// <summary>Sends this many lines. When the task completes, all of them have been acknowledged.</summary>
    public async Task LogAsync(int lines)
    {
        string egress = await _egress.Task.ConfigureAwait(false);
        for (int number = 1; number <= lines; number++)
        {
            while (number > Volatile.Read(ref _acknowledged) + Volatile.Read(ref _window))
            {
                await _progress.Reader.ReadAsync().ConfigureAwait(false);
            }

            _client.Publish(
                $"{_pipeline}._out.{egress}",
                Encoding.ASCII.GetBytes($"{_name} {number - 1}"),
                headers: Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: {_name}.1\r\nZmq-Seq: {number}\r\n\r\n"));
        }

        while (Volatile.Read(ref _acknowledged) < lines)
        {
            await _progress.Reader.ReadAsync().ConfigureAwait(false);
        }
    }

    private void OnEgress(in MessageView message)
    {
        ReadWindow(message.Headers);
        _egress.TrySetResult(Value(message.Headers, "Zmq-Egress"));
    }

    private void OnAcknowledgement(in MessageView message)
    {
        ReadWindow(message.Headers);
        Volatile.Write(ref _acknowledged, long.Parse(Value(message.Headers, "Zmq-Ack"), CultureInfo.InvariantCulture));
        _progress.Writer.TryWrite(true);
    }

    // The window has a number of messages and a number of bytes. These short lines do not reach the second limit.
    private void ReadWindow(ReadOnlySpan<byte> headers)
    {
        if (Value(headers, "Zmq-Window") is { Length: > 0 } window)
        {
            Volatile.Write(ref _window, long.Parse(window.Split(' ')[0], CultureInfo.InvariantCulture));
            _progress.Writer.TryWrite(true);
        }
    }

    private static string Value(ReadOnlySpan<byte> headers, string name)
    {
        string? line = Encoding.ASCII.GetString(headers).Split("\r\n").FirstOrDefault(l => l.StartsWith(name + ": ", StringComparison.Ordinal));
        return line?[(name.Length + 2)..] ?? "";
    }
}
