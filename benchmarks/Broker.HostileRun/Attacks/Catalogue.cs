using Broker.HostileRun.Attacks.Kinds;

namespace Broker.HostileRun.Attacks;

/// <summary>All kinds of attacks.</summary>
internal static class Catalogue
{
    public static IReadOnlyList<AttackKind> All { get; } =
    [
        new("zeromq-stops", "ZeroMQ handshakes that stop at any byte", 20, HandshakeKinds.StopZeroMqAsync),
        new("zeromq-garbage", "garbage in place of, and after, a ZeroMQ handshake", 20, HandshakeKinds.SendZeroMqGarbageAsync),
        new("curve-hellos", "bursts of a thousand CURVE HELLOs at once", 0.1, CurveKind.SendHellosAsync),
        new("nats-stops", "NATS handshakes that stop at any byte", 20, HandshakeKinds.StopNatsAsync),
        new("nats-garbage", "garbage in place of, and after, CONNECT", 20, HandshakeKinds.SendNatsGarbageAsync),
        new("wrong-passwords", "guessed passwords, of plain and of hashed ones", 10, HandshakeKinds.GuessPasswordAsync),
        new("connect-and-drop", "connections to every port that end at once, half of them by a reset", 40, HandshakeKinds.ConnectAndDropAsync),
        new("subscription-floods", "a thousand subscriptions at once, of NATS clients and of SUBs", 8, SubscriptionKinds.FloodAsync),
        new("wildcard-publishes", "publishes that meet 1,024 or 16,384 wildcard subscriptions", 0.1, SubscriptionKinds.PublishToWildcardsAsync),
        new("forged-pipeline", "forged announcements, acknowledgements, ends and messages of a pipeline", 0.1, PipelineKind.ForgeAsync),
        new("unfinished-messages", "messages of 1 MiB that never end, of NATS, WebSocket and ZeroMQ clients", 12, MemoryKinds.LeaveUnfinishedAsync),
        new("slow-readers", "clients and SUBs that read nothing of what is sent to them", 8, MemoryKinds.ReadNothingAsync),
        new("monitoring-silent", "connections to the monitoring port that send no or half a request", 30, HttpKinds.StaySilentAsync),
        new("monitoring-garbage", "requests for pages that do not exist or are not HTTP", 10, HttpKinds.SendMonitoringGarbageAsync),
        new("websocket-garbage", "WebSocket handshakes and frames that are none", 20, HttpKinds.SendWebSocketGarbageAsync),
    ];

    /// <summary>The kinds with these names; all if there are none. An unknown name throws.</summary>
    public static IReadOnlyList<AttackKind> Select(IReadOnlyCollection<string> names)
    {
        if (names.Count == 0)
        {
            return All;
        }

        string? unknown = names.FirstOrDefault(name => !All.Any(kind => kind.Name == name));
        return unknown is null
            ? [.. All.Where(kind => names.Contains(kind.Name))]
            : throw new ArgumentException($"No kind is named '{unknown}'. There are: {string.Join(", ", All.Select(kind => kind.Name))}.");
    }
}
