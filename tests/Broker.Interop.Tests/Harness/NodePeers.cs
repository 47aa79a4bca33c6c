namespace Broker.Interop.Tests.Harness;

/// <summary>
/// Peers that use npm packages: zeromq, which contains its own libzmq, and the official JavaScript NATS client.
/// </summary>
internal sealed class NodePeers : IZeroMqPeers, INatsPeers
{
    public string Name => "node";

    public Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
    {
        string? node = Programs.Find("node");
        Missing.Unless(node is not null, "node");
        string folder = Path.Combine(PeerSources.Folder, "node");
        string package = program.StartsWith("zmq", StringComparison.Ordinal) ? "zeromq"
            : program.StartsWith("jwt", StringComparison.Ordinal) ? "@nats-io/jwt"
            : "@nats-io/transport-node";
        Missing.Unless(Directory.Exists(Path.Combine(folder, "node_modules", package)), $"the npm package {package}");
        return Task.FromResult(PeerProcess.Start($"{Name} {program}", node!, arguments.Prepend(Path.Combine(folder, program + ".mjs"))));
    }
}
