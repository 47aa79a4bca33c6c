namespace Broker.Server;

/// <summary>
/// The JSON fields of a client for services whose import shares them. The account and the round-trip time stand between
/// them, because they may change.
/// </summary>
/// <param name="BeforeAccount">Fields, each followed by a comma.</param>
/// <param name="AfterAccount">Fields, each after a comma.</param>
/// <param name="AtEnd">Fields, each after a comma.</param>
internal sealed record SharedClientInfo(byte[] BeforeAccount, byte[] AfterAccount, byte[] AtEnd)
{
    internal static SharedClientInfo None { get; } = new([], [], []);

    internal int Length => BeforeAccount.Length + AfterAccount.Length + AtEnd.Length;
}
