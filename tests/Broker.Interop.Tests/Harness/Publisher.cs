using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>A peer that sends what the test tells it to: a ZeroMQ PUB or a NATS publisher.</summary>
internal sealed class Publisher(PeerProcess process) : IAsyncDisposable
{
    public PeerProcess Process => process;

    public Task SendAsync(params byte[][] frames) =>
        process.WriteLineAsync(string.Join(' ', frames.Select(frame => Hex.Encode(frame))));

    public Task SendAsync(params string[] frames) => SendAsync([.. frames.Select(Encoding.UTF8.GetBytes)]);

    /// <summary>
    /// Sends probes, see <see cref="Subscriber.ReadAsync"/>, again and again until every subscriber has had one of them.
    /// A PUB socket drops what it sends before it knows of a subscription, and nothing tells when it does.
    /// </summary>
    public async Task SendUntilReceivedAsync(byte[] topic, params Subscriber[] subscribers)
    {
        // Probes of an earlier call may still be under way; they prove nothing about now.
        var probe = Subscriber.NewProbe();
        foreach (var subscriber in subscribers)
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

    public Task SendUntilReceivedAsync(string topic, params Subscriber[] subscribers) =>
        SendUntilReceivedAsync(Encoding.UTF8.GetBytes(topic), subscribers);

    /// <summary>Ends the peer and answers how many messages it has sent.</summary>
    public async Task<string> FinishAsync()
    {
        process.EndInput();
        return await process.ReadLineAsync();
    }

    public ValueTask DisposeAsync() => process.DisposeAsync();
}
