namespace Broker.Interop.Tests.Harness;

/// <summary>The peers that use one library. peers/README.md lists their arguments.</summary>
internal interface IPeers
{
    string Name { get; }

    /// <summary>Starts a peer. If the library is not installed, the calling test is skipped, or fails in CI.</summary>
    Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments);
}
