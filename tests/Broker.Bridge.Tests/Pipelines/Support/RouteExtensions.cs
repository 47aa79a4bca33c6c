namespace Broker.Bridge.Tests.Pipelines.Support;

internal static class RouteExtensions
{
    internal static PushPullRouteSnapshot Route(this ZeroMqBridge bridge) => (PushPullRouteSnapshot)bridge.Snapshot().Routes[0];

    internal static string PusherEndpoint(this ZeroMqBridge bridge) => bridge.Route().PusherEndpoints[0];

    internal static string PullerEndpoint(this ZeroMqBridge bridge) => bridge.Route().PullerEndpoints[0];
}
