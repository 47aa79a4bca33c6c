using Broker.Bridge;
using Broker.Server;

namespace Broker.Cli.Terminal;

/// <summary>The lines that are printed after the start: the addresses, and commands to try them.</summary>
internal static class WelcomeText
{
    public static IEnumerable<string> Of(ServeAddresses addresses, ServeSettings settings)
        => Addresses(addresses, settings).Concat(Try(addresses, settings));

    public static IEnumerable<string> Addresses(ServeAddresses addresses, ServeSettings settings)
    {
        yield return $"broker {CommandVersion.Text} is ready (process {Environment.ProcessId})";
        foreach (string address in addresses.Nats)
        {
            yield return $"  NATS clients:       {address}";
        }

        if (addresses.Nats.Count > 0 && addresses.Nats.All(IsLoopback))
        {
            // nats-server listens on all addresses by default.
            yield return "                      (this machine only; -a 0.0.0.0 listens on all addresses)";
        }

        foreach (string address in addresses.WebSocket)
        {
            yield return $"  WebSocket clients:  {address}";
        }

        foreach (string address in addresses.ZeroMqPublishers)
        {
            yield return $"  ZeroMQ publishers:  {address}";
        }

        foreach (string address in addresses.ZeroMqSubscribers)
        {
            yield return $"  ZeroMQ subscribers: {address}";
        }

        foreach (RouteAddresses route in addresses.ZeroMqRoutes)
        {
            foreach (string address in route.Endpoints)
            {
                yield return $"  {"ZeroMQ " + route.Name + ":",-19} {address}";
            }
        }

        foreach (string address in addresses.Monitoring)
        {
            yield return $"  Monitoring:         {address}";
        }

        if (settings.ZeroMq is { HasPubSub: true } bridge)
        {
            yield return $"  ZeroMQ topic a.b is subject {bridge.Prefix}.a.b";
        }
    }

    private static IEnumerable<string> Try(ServeAddresses addresses, ServeSettings settings)
    {
        if (addresses.Nats is not [var nats, ..])
        {
            yield break;
        }

        string broker = ProgramPath.ToType();
        string client = ClientFlags(settings);
        yield return "To try it, run each command in its own terminal:";
        if (settings.ZeroMq is not { HasPubSub: true } bridge
            || SocketFlags(bridge.Security) is not { } socket
            || addresses is not { ZeroMqPublishers: [var publishers, ..], ZeroMqSubscribers: [var subscribers, ..] })
        {
            yield return $"  {broker} sub -s {nats}{client} '>'";
            yield return $"  {broker} pub -s {nats}{client} greeting hello";
            yield break;
        }

        yield return $"  {broker} sub -s {nats}{client} '{bridge.Prefix}.weather.*'";
        yield return $"  {broker} zmq sub -c {subscribers}{socket} weather";
        yield return $"  {broker} zmq pub -c {publishers}{socket} weather.oslo '4 degrees'";
        yield return $"  {broker} pub -s {nats}{client} {bridge.Prefix}.weather.bergen rain";
    }

    private static bool IsLoopback(string address) => Uri.TryCreate(address, UriKind.Absolute, out Uri? uri) && uri.IsLoopback;

    // The flags without which the server would refuse the client. Words in capital letters are to be replaced.
    private static string ClientFlags(ServeSettings settings)
    {
        string credentials = settings.Security switch
        {
            { Token: not null } => " --auth TOKEN",
            { Operator: not null } => " --creds FILE",
            { NoAuthUser: null, IsRequired: true } => " --user USER --pass PASSWORD",
            _ => "",
        };
        string tls = settings.Tls switch
        {
            null or { AllowNonTls: true } => "",
            { ClientCertificates: ClientCertificateMode.None } => " --tlscacert FILE",
            _ => " --tlscacert FILE --tlscert FILE --tlskey FILE",
        };
        return credentials + tls;
    }

    // The flags of broker zmq for the bridge's security, or null if the bridge needs a server at the other end.
    private static string? SocketFlags(SocketSecurity? security) => security?.Definition.Split(' ') switch
    {
        null or [""] => "",
        ["curve", "server", var key, "everybody"] => $" --curve-server-key '{key}'",
        ["curve", "server", var key, ..] => $" --curve-server-key '{key}' --curve-secret-key-file FILE",
        ["plain", "server", ..] => " --plain-user USER --plain-password PASSWORD",
        _ => null,
    };
}
