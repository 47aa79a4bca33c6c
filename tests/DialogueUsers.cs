using Broker.Server;
using Broker.TestKit.Dialogues;

namespace Broker.TestKit;

/// <summary>Who the users of random dialogues are, for nats-server and for ours: compiled into each suite that plays some.</summary>
internal static class DialogueUsers
{
    /// <summary>The file's text.</summary>
    internal const string Config = """
        authorization {
          timeout: 60
          users: [
            { user: all, password: all },
            { user: few, password: few, permissions: { publish: ["a", "b", "_INBOX.>"], subscribe: ["a.>", "b", "_INBOX.>"] } },
            { user: most, password: most, permissions: { publish: { deny: ["a.b", "A"] }, subscribe: { deny: ["b", "a.c"] } } },
            { user: answers, password: answers, permissions: { publish: "A", subscribe: ">", allow_responses: { max: 2, expires: "1h" } } } ] }

        """;

    // No dialogue is about time: however late who speaks has his turn, he is heard.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Says the same to ours.</summary>
    internal static void Set(BrokerServerOptions options)
    {
        options.AuthTimeout = Patience;
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
