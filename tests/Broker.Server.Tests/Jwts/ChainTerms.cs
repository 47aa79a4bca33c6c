using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>Random permissions and limits of a user or a role, and what a model says about them.</summary>
internal sealed class ChainTerms
{
    private static readonly string[] Tokens = ["a", "b", "c"];

    private static readonly string[] Templates =
        ["{{name()}}.>", "t.{{tag(t)}}", "t.{{tag(t)}}.{{account-tag(z)}}", "s.{{subject()}}", "s.{{account-subject()}}", "s.{{account-name()}}"];

    private ChainTerms()
    {
    }

    internal ChainTerms(Random random)
    {
        PublishAllow = List(random, 3);
        PublishDeny = List(random, 4);
        SubscribeAllow = List(random, 3);
        SubscribeDeny = List(random, 4);
        MaxSubscriptions = random.Next(4) == 0 ? random.Next(1, 3) : -1;
        MaxPayload = random.Next(4) == 0 ? 4 : -1;
        DeniesTag = random.Next(4) == 0;
    }

    internal string[] PublishAllow { get; private init; } = [];

    internal string[] PublishDeny { get; private init; } = [];

    internal string[] SubscribeAllow { get; private init; } = [];

    internal string[] SubscribeDeny { get; private init; } = [];

    internal int MaxSubscriptions { get; private init; }

    internal int MaxPayload { get; private init; }

    /// <summary>Whether a role denies the subjects of a tag, so that its users must have it.</summary>
    internal bool DeniesTag { get; private init; }

    // The entries of a template that end in tags or keys, filled in.
    private string[] Templated { get; init; } = [];

    private bool AreEmpty => PublishAllow.Length + PublishDeny.Length + SubscribeAllow.Length + SubscribeDeny.Length == 0;

    /// <summary>A random subject without wildcards, or a filter with single ones.</summary>
    internal static string Subject(Random random, bool isFilter)
        => string.Join('.', Enumerable.Range(0, random.Next(1, 4)).Select(_ => isFilter && random.Next(4) == 0 ? "*" : Tokens[random.Next(Tokens.Length)]));

    /// <summary>Some of the tokens of subjects, or none.</summary>
    internal static string[] SomeTokens(Random random) => [.. Tokens.Where(_ => random.Next(5) < 2)];

    /// <summary>The terms of a role for a user.</summary>
    internal ChainTerms For(ChainUser user)
    {
        string[] tagged = [.. user.Tags.Select(static t => $"t.{t}"), .. user.Tags.SelectMany(t => user.Account.Tags.Select(z => $"t.{t}.{z}"))];
        string[] keyed = [$"s.{user.Key}", $"s.{user.Account.Key}", "s.n"];
        return new()
        {
            PublishAllow = [.. PublishAllow, $"{user.Name}.>"],
            Templated = [.. tagged, .. keyed],
            PublishDeny = [.. PublishDeny, .. DeniesTag ? user.Tags.Select(static t => $"d.{t}") : []],
            SubscribeAllow = SubscribeAllow,
            SubscribeDeny = SubscribeDeny,
            MaxSubscriptions = MaxSubscriptions,
            MaxPayload = MaxPayload,
        };
    }

    internal string ToJson(bool isRole = false)
        => string.Create(
            CultureInfo.InvariantCulture,
            $"\"subs\":{MaxSubscriptions},\"data\":-1,\"payload\":{MaxPayload},\"pub\":{{{Json(isRole ? [.. PublishAllow, .. Templates] : PublishAllow, isRole && DeniesTag ? [.. PublishDeny, "d.{{tag(t)}}"] : PublishDeny)}}},\"sub\":{{{Json(SubscribeAllow, SubscribeDeny)}}}");

    /// <summary>The claim that decides about a publish, and whether it lets it pass.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="denied">What the default permissions of the account deny.</param>
    internal (string Claim, bool Lets) Publish(string subject, string denied)
        => AreEmpty ? ("default_permissions", subject != denied)
            : Templated.Length > 0 && subject[0] is ('t' or 's') && !Array.Exists(PublishAllow, a => Covers(a, subject)) && !Array.Exists(PublishDeny, d => Covers(d, subject))
                ? (subject[0] == 't' ? "tags" : "template", Array.Exists(Templated, t => t == subject))
                : Decide("pub", PublishAllow, PublishDeny, subject);

    /// <inheritdoc cref="Publish"/>
    /// <summary>The claim that decides about a subscription, and whether it lets it pass.</summary>
    internal (string Claim, bool Lets) Subscribe(string filter)
        => AreEmpty ? ("default_permissions", true) : Decide("sub", SubscribeAllow, SubscribeDeny, filter);

    private static (string Claim, bool Lets) Decide(string claim, string[] allow, string[] deny, string subject)
        => allow.Length > 0 && !Array.Exists(allow, a => Covers(a, subject)) ? ($"{claim}.allow", false)
            : deny.Length > 0 ? ($"{claim}.deny", !Array.Exists(deny, d => Covers(d, subject)))
            : (allow.Length > 0 ? $"{claim}.allow" : claim, true);

    /// <summary>Whether each subject of a filter is one of a pattern, token by token.</summary>
    internal static bool Covers(string pattern, string filter)
    {
        string[] one = pattern.Split('.');
        string[] other = filter.Split('.');
        for (int i = 0; i < one.Length; i++)
        {
            if (one[i] == ">")
            {
                return other.Length > i;
            }

            if (i >= other.Length || other[i] == ">" || (one[i] != "*" && one[i] != other[i]))
            {
                return false;
            }
        }

        return one.Length == other.Length;
    }

    private static string Json(string[] allow, string[] deny)
        => string.Join(',', new[] { ("allow", allow), ("deny", deny) }.Where(static l => l.Item2.Length > 0).Select(static l => $"\"{l.Item1}\":[{string.Join(',', l.Item2.Select(static s => $"\"{s}\""))}]"));

    private static string[] List(Random random, int rarity)
        => random.Next(rarity) > 0 ? []
            : [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next(4) == 0 ? Subject(random, true) + ".>" : Subject(random, true)).Distinct(StringComparer.Ordinal)];
}
