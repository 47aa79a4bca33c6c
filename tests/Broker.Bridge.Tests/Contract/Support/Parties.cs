using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract.Support;

/// <summary>Whose programs, of which minor version of ZMTP, and whether the server is Debian's nats-server: what each point holds for.</summary>
public static class Parties
{
    public static TheoryData<ForeignKind, byte, bool> All => new(
        from kind in (ForeignKind[])[ForeignKind.Python, ForeignKind.Node]
        from minor in (byte[])[0, 1]
        from foreign in (bool[])[false, true]
        select (kind, minor, foreign));

    /// <summary>Those that know heartbeats, which came with ZMTP 3.1.</summary>
    public static TheoryData<ForeignKind, byte, bool> WithHeartbeats => new(
        from kind in (ForeignKind[])[ForeignKind.Python, ForeignKind.Node]
        from foreign in (bool[])[false, true]
        select (kind, (byte)1, foreign));
}
