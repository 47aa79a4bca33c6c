using Broker.Bridge;

namespace Broker.Cli.CommandLine;

/// <summary>
/// The permissions that the user of a bridge needs for its routes, and the permissions that other users must not have,
/// in the notation of the configuration file of nats-server and of this broker.
/// </summary>
internal sealed class BridgePermissions
{
    private const string Replies = "_INBOX.>";

    private readonly SortedSet<string> _publish = new(StringComparer.Ordinal);
    private readonly SortedSet<string> _subscribe = new(StringComparer.Ordinal);

    // The subjects that only bridges may use. Any other user of them could answer, acknowledge or read in place of a
    // bridge.
    private readonly SortedSet<string> _internal = new(StringComparer.Ordinal);
    private bool _hasReplies;

    private BridgePermissions(IEnumerable<RouteOptions> routes)
    {
        foreach (RouteOptions route in routes)
        {
            Add(route);
        }
    }

    /// <summary>Returns the lines of the text.</summary>
    public static IEnumerable<string> Of(IEnumerable<RouteOptions> routes) => new BridgePermissions(routes).ToLines();

    private IEnumerable<string> ToLines()
    {
        yield return "# In the block of the bridge's user:";
        yield return "permissions {";
        yield return $"  publish   {{ allow: [{List(_publish)}] }}";
        yield return $"  subscribe {{ allow: [{List(_subscribe)}] }}";
        yield return "}";
        if (_internal.Count != 0)
        {
            yield return "# For all users that are not bridges, in the authorization block or in their own permissions:";
            yield return "default_permissions {";
            yield return $"  publish   {{ deny: [{List(_internal)}] }}";
            yield return $"  subscribe {{ deny: [{List(_internal)}] }}";
            yield return "}";
        }

        if (_hasReplies)
        {
            yield return $"# A user who may subscribe to {Replies} can read the answers to all requests. Give every other user an inbox";
            yield return "# prefix of its own.";
        }
    }

    private void Add(RouteOptions route)
    {
        switch (route)
        {
            case PubSubRouteOptions pubSub:
                Allow([pubSub.Mapping.Prefix + ".>"], [pubSub.Mapping.Prefix + ".>"]);
                break;
            case RequestRouteOptions request:
                AllowReplies([request.Subject ?? request.Topics!.Prefix + ".>"]);
                break;
            case WorkerRouteOptions worker:
                Allow([Replies], [worker.Subject ?? worker.Topics!.Prefix + ".>"]);
                break;
            case PushPullRouteOptions { Stream: { } stream } queue:
                AllowReplies([queue.Subject, stream.Domain is null ? "$JS.API.>" : $"$JS.{stream.Domain}.API.>", "$JS.ACK.>"]);
                break;
            case PushPullRouteOptions pipeline:
                string[] ends = ["_egress", "_ingress", "_in.>", "_out.>"];
                string[] subjects = [.. ends.Select(end => $"{pipeline.Subject}.{end}")];
                Allow(subjects, subjects);
                _internal.UnionWith(subjects);
                break;
            case RawRouteOptions raw:
                Allow([raw.ToSubject], [raw.FromSubject]);
                break;
            default:
                throw new NotSupportedException($"The permissions of the pattern {route.Pattern} are not known.");
        }
    }

    private void AllowReplies(string[] publish)
    {
        _hasReplies = true;
        Allow(publish, [Replies]);
    }

    private void Allow(string[] publish, string[] subscribe)
    {
        _publish.UnionWith(publish);
        _subscribe.UnionWith(subscribe);
    }

    private static string List(IEnumerable<string> subjects) => string.Join(", ", subjects.Select(static subject => $"\"{subject}\""));
}
