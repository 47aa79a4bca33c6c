using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>A peer that sends messages of the test: a ZeroMQ PUB or a NATS publisher.</summary>
internal sealed class Publisher(PeerProcess process) : IAsyncDisposable
{
    public PeerProcess Process => process;

    public Task SendAsync(params byte[][] frames)
        => process.WriteLineAsync(string.Join(' ', frames.Select(frame => Hex.Encode(frame))));

    public Task SendAsync(params string[] frames) => SendAsync([.. frames.Select(Encoding.UTF8.GetBytes)]);

    /// <summary>
    /// Sends probes (see <see cref="Subscriber.ReadAsync"/>) until every subscriber has received one. A PUB socket
    /// drops messages before it has received a subscription, and does not report when it has.
    /// </summary>
    public async Task SendUntilReceivedAsync(byte[] topic, params Subscriber[] subscribers)
    {
        // Probes of an earlier call may still arrive. They do not prove that the path works now.
        byte[] probe = Subscriber.NewProbe();
        foreach (Subscriber subscriber in subscribers)
        {
            for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; ;)
            {
                await SendAsync(topic, probe);
                if (await subscriber.TryReadProbeAsync(probe, TimeSpan.FromMilliseconds(100)))
                {
                    break;
                }

                if (Environment.TickCount64 > end)
                {
                    throw subscriber.Process.Failure("did not receive what was published to it");
                }
            }
        }
    }

    public Task SendUntilReceivedAsync(string topic, params Subscriber[] subscribers)
        => SendUntilReceivedAsync(Encoding.UTF8.GetBytes(topic), subscribers);

    /// <summary>Ends the peer and returns the number of messages that it has sent.</summary>
    public async Task<string> FinishAsync()
    {
        process.EndInput();
        return await process.ReadLineAsync();
    }

    public ValueTask DisposeAsync() => process.DisposeAsync();
}
