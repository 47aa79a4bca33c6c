using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract.Support;

/// <summary>
/// The programs of a contract test: their library, their minor version of ZMTP, and whether the server is Debian's
/// nats-server.
/// </summary>
public static class Parties
{
    public static TheoryData<ForeignKind, byte, bool> All => new((
        from kind in (ForeignKind[])[ForeignKind.Python, ForeignKind.Node]
        from minor in (byte[])[0, 1]
        from foreign in (bool[])[false, true]
        select (kind, minor, foreign)).Append(NetMq));

    // NetMQ greets with 3.0 whatever it is allowed.
    private static (ForeignKind Kind, byte Minor, bool Foreign) NetMq => (ForeignKind.NetMq, 1, false);

    /// <summary>The parties that support heartbeats, which exist since ZMTP 3.1.</summary>
    public static TheoryData<ForeignKind, byte, bool> WithHeartbeats => new(
        from kind in (ForeignKind[])[ForeignKind.Python, ForeignKind.Node]
        from foreign in (bool[])[false, true]
        select (kind, (byte)1, foreign));
}
