using System.Globalization;
using System.Text;
using Broker.Bridge.Tests.Requests.Support;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract.Support;

/// <summary>Finds the routes of a bridge by their patterns, and sends and receives numbered messages.</summary>
internal static class ContractExtensions
{
    /// <summary>
    /// The size of the second frame of a numbered message. Some of these messages fill the kernel's buffers.
    /// </summary>
    public const int Large = 100_000;

    private const int Milliseconds = 60_000;

    public static PubSubRouteSnapshot PubSub(this ZeroMqBridge bridge) => (PubSubRouteSnapshot)bridge.Snapshot()["pubsub"]!;

    public static PushPullRouteSnapshot PushPull(this ZeroMqBridge bridge, string name = "pushpull") => (PushPullRouteSnapshot)bridge.Snapshot()[name]!;

    public static RequestRouteSnapshot Requests(this ZeroMqBridge bridge) => (RequestRouteSnapshot)bridge.Snapshot()["request"]!;

    public static WorkerRouteSnapshot Workers(this ZeroMqBridge bridge) => (WorkerRouteSnapshot)bridge.Snapshot()["worker"]!;

    /// <summary>
    /// Waits until each ROUTER, DEALER and PAIR route has its program: messages for a missing program are dropped.
    /// </summary>
    public static Task RawPeersAsync(this ZeroMqBridge bridge) => Wait.UntilAsync(
        () => bridge.Snapshot().Routes.OfType<RawRouteSnapshot>().All(route => route.Peers == 1), () => string.Join(' ', bridge.Snapshot().Routes));

    public static string Endpoint(this ZeroMqBridge bridge, string route) => bridge.Snapshot()[route]!.Endpoints[0];

    public static string Publishers(this ZeroMqBridge bridge) => bridge.PubSub().PublisherEndpoints[0];

    public static string Subscribers(this ZeroMqBridge bridge) => bridge.PubSub().SubscriberEndpoints[0];

    public static string Pushers(this ZeroMqBridge bridge, string name = "pushpull") => bridge.PushPull(name).PusherEndpoints[0];

    public static string Pullers(this ZeroMqBridge bridge, string name = "pushpull") => bridge.PushPull(name).PullerEndpoints[0];

    /// <summary>
    /// Sends <c>[number][large frame]</c>. Returns false if it would block for longer than the limit.
    /// </summary>
    public static Task<bool> SendLargeAsync(this ForeignSocket socket, int number, int milliseconds = Milliseconds)
        => socket.SendAsync([Number(number), Filler], milliseconds);

    /// <summary>Receives a message, checks its second frame and returns its number.</summary>
    public static async Task<int> ReceiveLargeAsync(this ForeignSocket socket) => NumberOf(await socket.ReceiveTextAsync());

    /// <summary>Receives a message like the other overload, but returns null if none arrives in time.</summary>
    public static async Task<int?> TryReceiveLargeAsync(this ForeignSocket socket, int milliseconds)
        => await socket.TryReceiveTextAsync(milliseconds) is { } text ? NumberOf(text) : null;

    public static byte[] Number(int number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));

    public static byte[] Filler { get; } = [.. Enumerable.Repeat((byte)'.', Large)];

    private static int NumberOf(string text)
    {
        string[] frames = text.Split('|');
        Assert.Equal(Large, frames[^1].Length);
        return int.Parse(frames[^2], CultureInfo.InvariantCulture);
    }
}
