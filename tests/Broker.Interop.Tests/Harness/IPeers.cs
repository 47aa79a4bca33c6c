namespace Broker.Interop.Tests.Harness;

/// <summary>The programs over one library. All take the arguments that peers/README.md lists.</summary>
internal interface IPeers
{
    string Name { get; }

    /// <summary>Starts a program; the calling test is skipped, or fails in CI, when the library is not installed.</summary>
    Task<PeerProcess> StartAsync(string program, params IEnumerable<string> arguments);
}
