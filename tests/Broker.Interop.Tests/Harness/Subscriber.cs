namespace Broker.Interop.Tests.Harness;

/// <summary>A peer that reports received messages: a ZeroMQ SUB or a NATS subscriber.</summary>
internal sealed class Subscriber(PeerProcess process) : IAsyncDisposable
{
    private static ReadOnlySpan<byte> Prefix => "probe"u8;

    public PeerProcess Process => process;

    /// <summary>
    /// Reads the next message that is not a probe. A probe is a message whose body begins with <c>probe</c>; it only
    /// tests whether messages reach the subscriber.
    /// </summary>
    public async Task<Message> ReadAsync()
    {
        while (true)
        {
            var message = Message.Parse(await ReadMessageLineAsync());
            if (!IsProbe(message))
            {
                return message;
            }
        }
    }

    /// <summary>Returns a unique body for a probe.</summary>
    public static byte[] NewProbe() => [.. Prefix, .. Guid.NewGuid().ToByteArray()];

    /// <summary>Returns whether the probe arrives in time. Other probes are skipped.</summary>
    public async Task<bool> TryReadProbeAsync(byte[] probe, TimeSpan limit)
    {
        while (await process.TryReadLineAsync(limit) is { } line)
        {
            var message = Message.Parse(line);
            if (message.Frames.Any(frame => frame.AsSpan().SequenceEqual(probe)))
            {
                return true;
            }

            if (!IsProbe(message))
            {
                throw process.Failure($"wrote \"{line}\" before any probe");
            }
        }

        return false;
    }

    public async Task<string> ReadMessageLineAsync()
    {
        string line = await process.ReadLineAsync();
        return line.StartsWith("MSG ", StringComparison.Ordinal) ? line : throw process.Failure($"wrote \"{line}\" where a message was due");
    }

    public ValueTask DisposeAsync() => process.DisposeAsync();

    private static bool IsProbe(Message message) => message.Frames.Skip(1).Any(frame => frame.AsSpan().StartsWith(Prefix));
}
