namespace Broker.Interop.Tests.Harness;

/// <summary>Peers that use NetMQ. The solution builds them as one program.</summary>
internal sealed class NetMqPeers : IZeroMqPeers
{
    public string Name => "NetMQ";

    public Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments)
        => Task.FromResult(PeerProcess.Start($"{Name} {program}", "dotnet", [Repository.TestProgram("Broker.NetMqPeer"), program, .. arguments]));
}
