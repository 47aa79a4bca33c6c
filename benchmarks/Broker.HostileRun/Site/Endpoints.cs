using Broker.TestKit.Processes;

namespace Broker.HostileRun.Site;

/// <summary>The ports of the broker under attack, and what its attackers know of it.</summary>
internal sealed record Endpoints
{
    public required int Nats { get; init; }

    public required int Monitoring { get; init; }

    public required int WebSocket { get; init; }

    public required int Publishers { get; init; }

    public required int Subscribers { get; init; }

    public required int Requests { get; init; }

    public required int Pushers { get; init; }

    public required int Pullers { get; init; }

    /// <summary>The port of publishers that use CURVE.</summary>
    public required int Secured { get; init; }

    /// <summary>The public key of <see cref="Secured"/>, as Z85.</summary>
    public required string SecuredKey { get; init; }

    /// <summary>Chooses free ports.</summary>
    public static Endpoints Choose(string securedKey) => new()
    {
        Nats = PortSequence.Next(),
        Monitoring = PortSequence.Next(),
        WebSocket = PortSequence.Next(),
        Publishers = PortSequence.Next(),
        Subscribers = PortSequence.Next(),
        Requests = PortSequence.Next(),
        Pushers = PortSequence.Next(),
        Pullers = PortSequence.Next(),
        Secured = PortSequence.Next(),
        SecuredKey = securedKey,
    };
}
