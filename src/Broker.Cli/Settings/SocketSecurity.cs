using Broker.Bridge.Routes;
using Broker.ZeroMq.Mechanisms;

namespace Broker.Cli.Settings;

/// <summary>The security of a route's ZeroMQ sockets, with the keys that its files held.</summary>
/// <param name="Mechanism">The mechanism and the bridge's part in it.</param>
/// <param name="Authenticate">Who is admitted; null for everybody whose own proof holds.</param>
/// <param name="Definition">The same for two that are alike, also in what the files held, which it does not show; for comparison alone.</param>
internal sealed record SocketSecurity(
    ZeroMqSecurity Mechanism, Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate, string Definition)
{
    /// <summary>A route's options with this security.</summary>
    public T Over<T>(T options)
        where T : RouteOptions
        => (T)((RouteOptions)options with { Security = Mechanism, Authenticate = Authenticate });

    /// <summary>What a log may show.</summary>
    public override string ToString() => Mechanism.ToString();
}
