namespace Broker.Cli.Terminal;

/// <summary>What is printed once everything listens: the addresses, and lines that can be pasted to try them.</summary>
internal static class WelcomeText
{
    public static IEnumerable<string> Of(ServeAddresses addresses, ServeSettings settings) =>
        Addresses(addresses, settings).Concat(Try(addresses, settings));

    public static IEnumerable<string> Addresses(ServeAddresses addresses, ServeSettings settings)
    {
        yield return $"broker {CommandVersion.Text} is ready (process {Environment.ProcessId})";
        foreach (var address in addresses.Nats)
            yield return $"  NATS clients:       {address}";
        foreach (var address in addresses.WebSocket)
            yield return $"  WebSocket clients:  {address}";
        foreach (var address in addresses.ZeroMqPublishers)
            yield return $"  ZeroMQ publishers:  {address}";
        foreach (var address in addresses.ZeroMqSubscribers)
            yield return $"  ZeroMQ subscribers: {address}";
        foreach (var address in addresses.Monitoring)
            yield return $"  Monitoring:         {address}";
        if (settings.ZeroMq is { } bridge)
            yield return $"  ZeroMQ topic a.b is subject {bridge.Prefix}.a.b";
    }

    private static IEnumerable<string> Try(ServeAddresses addresses, ServeSettings settings)
    {
        if (addresses.Nats is not [var nats, ..])
            yield break;
        yield return "Try, each in a terminal of its own:";
        if (settings.ZeroMq is not { } bridge
            || addresses is not { ZeroMqPublishers: [var publishers, ..], ZeroMqSubscribers: [var subscribers, ..] })
        {
            yield return $"  nats --server {nats} sub '>'";
            yield return $"  nats --server {nats} pub greeting hello";
            yield break;
        }

        yield return $"  nats --server {nats} sub '{bridge.Prefix}.weather.*'";
        yield return $"  python3 -c 'import zmq; s = zmq.Context().socket(zmq.SUB); s.connect(\"{subscribers}\"); s.subscribe(\"weather\"); print(s.recv_multipart())'";
        yield return $"  python3 -c 'import zmq, time; s = zmq.Context().socket(zmq.PUB); s.connect(\"{publishers}\"); time.sleep(1); s.send_multipart([b\"weather.oslo\", b\"4 degrees\"])'";
        yield return $"  nats --server {nats} pub {bridge.Prefix}.weather.bergen rain";
    }
}
