namespace Broker.Server;

/// <summary>
/// The response of <c>/jsz</c>, with the field names of nats-server. The server has no streams, so it answers like a
/// nats-server whose JetStream is disabled.
/// </summary>
internal sealed record Jsz(string ServerId, DateTime Now)
{
    public bool Disabled { get; } = true;

    public JszConfig Config { get; } = new();

    public long Memory { get; }

    public long Storage { get; }

    public long ReservedMemory { get; }

    public long ReservedStorage { get; }

    public int Accounts { get; }

    public int HaAssets { get; }

    public JszApi Api { get; } = new();

    public int Streams { get; }

    public int Consumers { get; }

    public long Messages { get; }

    public long Bytes { get; }

    internal static Jsz From(ServerDescription server) => new(server.Id, server.Now);
}
