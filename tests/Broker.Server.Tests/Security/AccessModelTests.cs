using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Security;

/// <summary>Compares the permission checks with a simple model that does not use tries.</summary>
public sealed class AccessModelTests
{
    [Fact]
    public void Permissions_tell_what_they_allow()
    {
        var permissions = new Permissions
        {
            Publish = SubjectPermissions.Only("a.*"),
            Subscribe = new SubjectPermissions { Allow = ["b.>", "c workers"], Deny = ["b.secret"] },
        };

        Assert.True(permissions.MayPublish("a.x"));
        Assert.False(permissions.MayPublish("a.x.y"));
        Assert.True(permissions.MayReceive("b.x"));
        Assert.False(permissions.MayReceive("b.secret"));
        // Only members of the queue group may receive it.
        Assert.False(permissions.MayReceive("c"));
        Assert.False(new Permissions { Responses = new ResponsePermissions() }.MayPublish("a"));
    }

    private static readonly string[] Tokens = ["a", "b", "c"];
    private static readonly string[] Queues = ["", "", "q", "r", "q.x"];
    private static readonly string[] Subjects = [.. Tokens, .. Tokens.SelectMany(_ => Tokens, (x, y) => $"{x}.{y}"), .. Tokens.SelectMany(_ => Tokens, (x, y) => $"{x}.{y}.a")];

    [Theory]
    [Seeds(4)]
    public void A_million_random_questions_are_answered_as_brute_force_does(int seed)
    {
        var random = new Random(seed);
        int cases = 0;
        int permitted = 0;
        while (cases < 300_000)
        {
            Permissions permissions = Draw(random);
            var rules = new AccessRules(permissions);
            foreach (string subject in Subjects)
            {
                string queue = Queues[random.Next(Queues.Length)];
                bool received = rules.MayReceive(Bytes(subject), Bytes(queue));
                Assert.Equal(Receives(permissions.Subscribe, subject, queue), received);
                Assert.Equal(
                    permissions.Publish.Allow?.Any(f => Matches(f, subject)) != false && !permissions.Publish.Deny.Any(f => Matches(f, subject)),
                    rules.MayPublish(Bytes(subject)));
                cases += 2;
                permitted += received ? 1 : 0;
            }

            string filter = Filter(random);
            string group = Queues[random.Next(Queues.Length)];
            if (rules.MaySubscribe(Bytes(filter), Bytes(group)))
            {
                // No denied entry may cover the whole filter. Without a queue group every subject of the filter must be
                // allowed.
                Assert.DoesNotContain(permissions.Subscribe.Deny, d => d.Split(' ') is [var f] && Covers(f, filter));
                Assert.True(group.Length > 0 || permissions.Subscribe.Allow is null || permissions.Subscribe.Allow.Any(a => Covers(a, filter)));
            }

            cases++;
        }

        Assert.InRange(permitted, cases / 20, cases);
    }

    [Fact]
    public async Task Subscriptions_of_random_users_receive_only_permitted_messages()
    {
        var random = new Random(Seed.Next());
        User[] users = [.. Enumerable.Range(0, 150).Select(i => new User($"u{i}", "p", Draw(random)))];
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [.. users, new User("root", "p")]);
        using var publisher = RawClient.Open(server, Connect("root"));
        publisher.Sync();
        int delivered = 0;
        foreach (User user in users)
        {
            using var client = RawClient.Open(server, Connect(user.Name));
            var asked = new List<(string Filter, string Queue)>();
            for (int sid = 0; sid < 12; sid++)
            {
                // Each subscription has its own queue group, because only one member of a group receives a message.
                (string filter, string queue) = (Filter(random), sid % 3 == 0 && sid / 3 < 3 ? Queues[2 + (sid / 3)] : "");
                asked.Add((filter, queue));
                client.Send($"SUB {filter} {queue}{(queue.Length == 0 ? "" : " ")}{sid}\r\n");
            }

            string refusals = client.Sync();
            foreach (string subject in Subjects)
            {
                publisher.Send($"PUB {subject} 1\r\nx\r\n");
            }

            publisher.Sync();
            var got = new HashSet<string>(StringComparer.Ordinal);
            foreach (string line in client.Sync().Split("\r\n").Where(l => l.StartsWith("MSG ", StringComparison.Ordinal)))
            {
                string[] words = line.Split(' ');
                (string filter, string queue) = asked[int.Parse(words[2], System.Globalization.CultureInfo.InvariantCulture)];
                Assert.True(Receives(user.Permissions!.Subscribe, words[1], queue), $"{user.Name} was sent {words[1]} by {filter} {queue}");
                got.Add($"{words[1]} {words[2]}");
                delivered++;
            }

            foreach (int sid in Enumerable.Range(0, asked.Count).Where(sid => !Refused(refusals, asked[sid])))
            {
                foreach (string subject in Subjects.Where(s => Matches(asked[sid].Filter, s) && Receives(user.Permissions!.Subscribe, s, asked[sid].Queue)))
                {
                    Assert.Contains($"{subject} {sid}", got);
                }
            }
        }

        Assert.InRange(delivered, 500, int.MaxValue);
    }

    private static bool Refused(string refusals, (string Filter, string Queue) asked)
        => refusals.Contains($"Subscription to \"{asked.Filter}\"{(asked.Queue.Length == 0 ? "" : $" using queue \"{asked.Queue}\"")}'", StringComparison.Ordinal);

    private static string Connect(string user) => $$"""CONNECT {"verbose":false,"user":"{{user}}","pass":"p"}""" + "\r\n";

    private static Permissions Draw(Random random)
    {
        string Entry() => random.Next(4) == 0 ? $"{Filter(random)} {new[] { "q", "r", "q.*", ">" }[random.Next(4)]}" : Filter(random);
        string[] Some(Func<string> make, int most) => [.. Enumerable.Range(0, random.Next(most + 1)).Select(_ => make())];
        return new Permissions
        {
            Publish = new SubjectPermissions { Allow = random.Next(3) == 0 ? null : Some(() => Filter(random), 4), Deny = Some(() => Filter(random), 3) },
            Subscribe = new SubjectPermissions { Allow = random.Next(3) == 0 ? null : ["a.>", .. Some(Entry, 5)], Deny = Some(Entry, 3) },
        };
    }

    private static string Filter(Random random)
    {
        int tokens = random.Next(1, 4);
        return string.Join('.', Enumerable.Range(0, tokens).Select(i => random.Next(4) == 0 ? "*" : i == tokens - 1 && random.Next(4) == 0 ? ">" : Tokens[random.Next(Tokens.Length)]));
    }

    private static bool Receives(SubjectPermissions permissions, string subject, string queue)
    {
        bool Named(IReadOnlyList<string> list, bool thisQueue) => list.Any(e => e.Split(' ') is [var f, var q] && Matches(f, subject) && (!thisQueue || (queue.Length > 0 && Matches(q, queue))));
        bool Plain(IReadOnlyList<string> list) => list.Any(e => e.Split(' ') is [var f] && Matches(f, subject));
        bool allowed = permissions.Allow is null
            || (queue.Length > 0 && Named(permissions.Allow, thisQueue: false) ? Named(permissions.Allow, thisQueue: true) : Plain(permissions.Allow));
        return allowed && !Plain(permissions.Deny) && !Named(permissions.Deny, thisQueue: true);
    }

    private static bool Matches(string filter, string subject)
    {
        string[] f = filter.Split('.');
        string[] s = subject.Split('.');
        return f[^1] == ">" ? s.Length >= f.Length && f[..^1].Zip(s).All(p => p.First == "*" || p.First == p.Second)
            : s.Length == f.Length && f.Zip(s).All(p => p.First == "*" || p.First == p.Second);
    }

    // Whether the first filter covers the second one, token by token: * covers a literal, and > covers any tail.
    private static bool Covers(string wide, string narrow)
    {
        string[] w = wide.Split(' ')[0].Split('.');
        string[] n = narrow.Split('.');
        for (int i = 0; i < w.Length; i++)
        {
            if (w[i] == ">")
            {
                return i < n.Length;
            }

            if (i >= n.Length || n[i] == ">" || (w[i] != "*" && w[i] != n[i]))
            {
                return false;
            }
        }

        return w.Length == n.Length;
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
