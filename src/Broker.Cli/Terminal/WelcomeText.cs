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
        yield return "To try it, run each command in its own terminal:";
        if (settings.ZeroMq is not { HasPubSub: true } bridge
            || addresses is not { ZeroMqPublishers: [var publishers, ..], ZeroMqSubscribers: [var subscribers, ..] })
        {
            yield return $"  {broker} sub -s {nats} '>'";
            yield return $"  {broker} pub -s {nats} greeting hello";
            yield break;
        }

        yield return $"  {broker} sub -s {nats} '{bridge.Prefix}.weather.*'";
        yield return $"  {broker} zmq sub -c {subscribers} weather";
        yield return $"  {broker} zmq pub -c {publishers} weather.oslo '4 degrees'";
        yield return $"  {broker} pub -s {nats} {bridge.Prefix}.weather.bergen rain";
    }
}
