namespace Broker.Interop.Tests.Clients;

/// <summary>
/// Every official client with the broker, and with nats-server, which shows that the test itself is correct.
/// </summary>
public static class Combinations
{
    public static string[] Clients { get; } = ["nats.js", "nats.c", "nats.go"];

    public static string[] Servers { get; } = ["broker", "nats-server"];

    /// <summary>The servers with TLS support.</summary>
    public static string[] ServersWithTls { get; } = ["broker", "nats-server"];

    public static TheoryData<string, string> All { get; } = Of(Servers);

    public static TheoryData<string, string> WithTls { get; } = Of(ServersWithTls);

    private static TheoryData<string, string> Of(params IEnumerable<string> servers)
    {
        var all = new TheoryData<string, string>();
        foreach (string server in servers)
        {
            foreach (string client in Clients)
            {
                all.Add(client, server);
            }
        }

        return all;
    }
}
