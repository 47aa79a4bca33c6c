using System.Collections.Concurrent;

[assembly: AssemblyFixture(typeof(Broker.Interop.Tests.Harness.SharedServers))]

namespace Broker.Interop.Tests.Harness;

/// <summary>
/// Servers that many tests share. A test that uses them takes its subjects from <see cref="NewSubject"/>.
/// </summary>
public sealed class SharedServers : IAsyncDisposable
{
    // A hash of "secret" with the minimum cost of bcrypt.
    private const string Hash = "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";

    private readonly ConcurrentDictionary<(string Server, string Configuration), Lazy<Task<ConfiguredServer>>> _servers = new();

    internal UserKey Key { get; } = UserKey.Create();

    /// <summary>Returns a subject, or the first tokens of one, that no other test uses.</summary>
    public static string NewSubject() => "t" + Guid.NewGuid().ToString("N");

    /// <summary>A server without authentication.</summary>
    internal Task<ConfiguredServer> OpenAsync(string server) => StartAsync(server, "");

    /// <summary>A server whose clients must send the token <c>letmein</c>.</summary>
    internal Task<ConfiguredServer> WithTokenAsync(string server) => StartAsync(server, "authorization { token: letmein, timeout: 60 }\n");

    /// <summary>
    /// A server with users: <c>ada</c> (password <c>plain</c>), <c>bob</c> (<c>secret</c>, stored as a hash),
    /// <see cref="Key"/>,
    /// <c>eve</c> (<c>pw</c>) with limited permissions, <c>service</c> (<c>pw</c>), which may only reply, and
    /// <c>guest</c>, the user of clients without credentials.
    /// </summary>
    internal Task<ConfiguredServer> WithUsersAsync(string server) => StartAsync(server, $$"""
        authorization {
          timeout: 60
          users = [
            { user: ada, password: plain }
            { user: bob, password: "{{Hash}}" }
            { nkey: {{Key.Public}} }
            { user: eve, password: pw, permissions: {
                publish: { allow: ["open.>", "_INBOX.>"], deny: "open.secret" }
                subscribe: { allow: ["open.>", "_INBOX.>"], deny: "open.secret" } } }
            { user: service, password: pw, permissions: { publish: "none", subscribe: ["open.>"], allow_responses: { max: 2, expires: "1m" } } }
            { user: guest, password: pw, permissions: { publish: "guest.>", subscribe: ["guest.>", "_INBOX.>"] } }
          ]
        }
        no_auth_user: guest

        """);

    public async ValueTask DisposeAsync()
    {
        foreach (Lazy<Task<ConfiguredServer>> server in _servers.Values)
        {
            // If a server could not start, the tests that use it have reported the error.
            if (server.Value.IsCompletedSuccessfully)
            {
                await (await server.Value).DisposeAsync();
            }
        }
    }

    private Task<ConfiguredServer> StartAsync(string server, string configuration)
        => _servers.GetOrAdd((server, configuration), key => new(() => ConfiguredServer.StartAsync(key.Server, key.Configuration))).Value;
}
