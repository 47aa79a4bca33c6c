using Broker.Server.Security;

namespace Broker.Server.Tests.Oracle;

/// <summary>A pair of servers for each kind of random dialogue.</summary>
public sealed class FuzzServers : IAsyncLifetime
{
    // No dialogue is about time: however late who speaks has his turn, he is heard.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>The user that may answer what it is asked.</summary>
    internal const string Answering = "answers";

    private readonly OracleServer[] _pairs =
    [
        new OracleServer(),
        new TlsOracle("tls { FILES }", static o => o.Tls = TlsOracle.Options),
        new SecuredOracle(
            """
            authorization {
              timeout: 60
              users: [
                { user: all, password: all },
                { user: few, password: few, permissions: { publish: ["a", "b", "_INBOX.>"], subscribe: ["a.>", "b", "_INBOX.>"] } },
                { user: most, password: most, permissions: { publish: { deny: ["a.b", "A"] }, subscribe: { deny: ["b", "a.c"] } } },
                { user: answers, password: answers, permissions: { publish: "A", subscribe: ">", allow_responses: { max: 2, expires: "1h" } } } ] }
            """,
            static o =>
            {
                o.AuthTimeout = Patience;
                o.Users =
                [
                    new User("all", "all"),
                    new User("few", "few", new Permissions
                    {
                        Publish = SubjectPermissions.Only("a", "b", "_INBOX.>"), Subscribe = SubjectPermissions.Only("a.>", "b", "_INBOX.>"),
                    }),
                    new User("most", "most", new Permissions { Publish = SubjectPermissions.AllBut("a.b", "A"), Subscribe = SubjectPermissions.AllBut("b", "a.c") }),
                    new User(Answering, Answering, new Permissions
                    {
                        Publish = SubjectPermissions.Only("A"),
                        Subscribe = SubjectPermissions.Only(">"),
                        Responses = new ResponsePermissions { MaxMessages = 2, Expires = TimeSpan.FromHours(1) },
                    }),
                ];
            }),
    ];

    /// <summary>Whom <see cref="FuzzKind.Users"/> knows. The password of each is its name.</summary>
    internal static string[] Users { get; } = ["all", "few", "most", Answering];

    internal OracleServer Of(FuzzKind kind) => _pairs[(int)kind];

    public async ValueTask InitializeAsync()
    {
        foreach (OracleServer pair in _pairs)
        {
            await pair.InitializeAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (OracleServer pair in _pairs)
        {
            await pair.DisposeAsync();
        }
    }
}
