using Broker.Server;
using Broker.TestKit.Dialogues;

namespace Broker.TestKit;

/// <summary>
/// The users of random dialogues, for nats-server and for ours. Each suite with random dialogues compiles this file.
/// </summary>
internal static class DialogueUsers
{
    /// <summary>The users as a configuration file of nats-server.</summary>
    internal const string Config = """
        authorization {
          timeout: 60
          users: [
            { user: all, password: all },
            { user: few, password: few, permissions: { publish: ["a", "b", "_INBOX.>"], subscribe: ["a.>", "b", "_INBOX.>"] } },
            { user: most, password: most, permissions: { publish: { deny: ["a.b", "A"] }, subscribe: { deny: ["b", "a.c"] } } },
            { user: answers, password: answers, permissions: { publish: "A", subscribe: ">", allow_responses: { max: 2, expires: "1h" } } } ] }

        """;

    // Dialogues do not depend on time: a slow client must not be closed for a time-out.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(60);

    /// <summary>Sets the same users in the options of our server.</summary>
    internal static void Set(BrokerServerOptions options)
    {
        options.AuthTimeout = WaitLimit;
        options.Users =
        [
            new User("all", "all"),
            new User("few", "few", new Permissions
            {
                Publish = SubjectPermissions.Only("a", "b", "_INBOX.>"), Subscribe = SubjectPermissions.Only("a.>", "b", "_INBOX.>"),
            }),
            new User("most", "most", new Permissions { Publish = SubjectPermissions.AllBut("a.b", "A"), Subscribe = SubjectPermissions.AllBut("b", "a.c") }),
            new User(FuzzDialogue.Answering, FuzzDialogue.Answering, new Permissions
            {
                Publish = SubjectPermissions.Only("A"),
                Subscribe = SubjectPermissions.Only(">"),
                Responses = new ResponsePermissions { MaxMessages = 2, Expires = TimeSpan.FromHours(1) },
            }),
        ];
    }
}
