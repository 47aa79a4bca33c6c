using System.Globalization;
using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>Starts peers by their role. All return once the peer is ready.</summary>
internal static class PeerExtensions
{
    public static async Task<Publisher> PublishAsync(this IZeroMqPeers peers, string address, string how = "connect")
        => new(await StartReadyAsync(peers, "zmq_pub", address, how));

    public static Task<Subscriber> SubscribeAsync(this IZeroMqPeers peers, string address, string topic, string how = "connect", int count = 0)
        => peers.SubscribeAsync(address, Encoding.UTF8.GetBytes(topic), how, count);

    public static async Task<Subscriber> SubscribeAsync(
        this IZeroMqPeers peers, string address, byte[] topic, string how = "connect", int count = 0)
        => new(await StartReadyAsync(peers, "zmq_sub", address, how, Hex.Encode(topic), count.ToString(CultureInfo.InvariantCulture)));

    public static async Task<Publisher> PublishAsync(this INatsPeers peers, string url)
        => new(await StartReadyAsync(peers, "nats_pub", url));

    /// <summary>Starts a NATS subscriber. Its mode is <c>queue=NAME</c>, <c>echo</c> or empty.</summary>
    public static async Task<Subscriber> SubscribeAsync(this INatsPeers peers, string url, string subject, string mode = "", int count = 0)
        => new(await StartReadyAsync(
            peers, "nats_sub", url, Hex.Encode(Encoding.UTF8.GetBytes(subject)), count.ToString(CultureInfo.InvariantCulture), mode));

    /// <summary>Starts a requester. The test writes subject and payload to it, and reads its lines.</summary>
    public static async Task<Publisher> RequestAsync(this INatsPeers peers, string url)
        => new(await StartReadyAsync(peers, "nats_request", url));

    private static async Task<PeerProcess> StartReadyAsync(IPeers peers, string program, params IEnumerable<string> arguments)
    {
        PeerProcess process = await peers.StartAsync(program, arguments);
        try
        {
            return await process.ReadLineAsync() is "READY" ? process : throw process.Failure("did not begin with READY");
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }
}
