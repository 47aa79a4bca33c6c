using System.CommandLine;

namespace Broker.LoadTest;

/// <summary>The option of all commands that adds servers.</summary>
internal static class ServerOptions
{
    public static Option<string[]> Servers() => new("--server")
    {
        Description = "A server as name=command. {port} in the command is replaced by its port. The server is added to broker and nats-server, or replaces the one of the same name. For TLS, --tls, --tlscert and --tlskey are added to the command.",
    };
}
