namespace Broker.Interop.Tests.Harness;

/// <summary>A peer that reports what it receives: a ZeroMQ SUB or a NATS subscriber.</summary>
internal sealed class Subscriber(PeerProcess process) : IAsyncDisposable
{
    public PeerProcess Process => process;

    /// <summary>The body of messages that only find out whether a path exists; <see cref="ReadAsync"/> skips them.</summary>
    public static byte[] Probe { get; } = "probe"u8.ToArray();

    /// <summary>The next message that is no probe.</summary>
    public async Task<Message> ReadAsync()
    {
        while (true)
        {
            var message = Message.Parse(await ReadMessageLineAsync());
            if (!IsProbe(message))
                return message;
        }
    }

    /// <summary>Whether a probe comes in time.</summary>
    public async Task<bool> TryReadProbeAsync(TimeSpan patience)
    {
        var line = await process.TryReadLineAsync(patience);
        return line is null ? false : IsProbe(Message.Parse(line)) ? true : throw process.Failure($"wrote \"{line}\" before any probe");
    }

    public async Task<string> ReadMessageLineAsync()
    {
        var line = await process.ReadLineAsync();
        return line.StartsWith("MSG ", StringComparison.Ordinal) ? line : throw process.Failure($"wrote \"{line}\" where a message was due");
    }

    public ValueTask DisposeAsync() => process.DisposeAsync();

    private static bool IsProbe(Message message) => message.Frames.Skip(1).Any(frame => frame.AsSpan().SequenceEqual(Probe));
}
