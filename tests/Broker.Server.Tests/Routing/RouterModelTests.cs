using System.Text;
using CsCheck;

namespace Broker.Server.Tests.Routing;

/// <summary>Compares the router with a linear search of a list of filters after every step.</summary>
public sealed class RouterModelTests
{
    private const int Steps = 1_000_000;

    // Tokens with a common beginning, tokens that look like wildcards but are none, and a token that is longer than one
    // step of the hash.
    private static readonly string[] Tokens = ["a", "b", "aa", "ab", "*a", "a>", "seventeen-bytes-x", "0", "00"];

    // The first tokens are used often, so that most names have a common beginning.
    private static readonly Gen<string> Token = Gen.Select(
        Gen.Int[0, Tokens.Length - 1], Gen.Int[0, Tokens.Length - 1], static (a, b) => Tokens[Math.Min(a, b)]);

    private static readonly Gen<string[]> Subject = Token.Array[1, 5];

    private static readonly Gen<string[]> Filter = Gen.Select(
        Gen.Frequency((1, Gen.Const("*")), (4, Token)).Array[1, 5], Gen.Int[0, 4], static (tokens, last) => last == 0 ? [.. tokens[..^1], ">"] : tokens);

    // With few subscriptions, nodes are created and removed often. With many, there are deep nodes and filters with
    // many subscriptions.
    [Theory]
    [InlineData(3)]
    [InlineData(12)]
    [InlineData(40)]
    [InlineData(120)]
    public void A_million_random_steps_agree_with_a_linear_search(int subscriptions)
    {
        var model = new RouterModel();
        var random = new Random(Seed.Next());
        int found = 0;
        for (int step = 0; step < Steps; step++)
        {
            int wish = random.Next(4);
            if (wish == 0 && model.Count < 2 * random.Next(1, subscriptions + 1))
            {
                model.Subscribe(Name(random, filter: true), random.Next(4) == 0 ? "q"u8.ToArray() : null);
            }
            else if (wish == 1 && model.Count > 0)
            {
                model.Unsubscribe(random.Next(model.Count));
            }
            else
            {
                found += model.Find(Name(random, filter: false));
            }
        }

        while (model.Count > 0)
        {
            model.Unsubscribe(model.Count - 1);
        }

        Assert.NotEqual(0, found);
        Assert.Equal(0, model.Router.SubscriptionCount);
        Assert.Equal(0, model.Router.Subscriptions.Nodes);
    }

    // Short runs that begin with an empty router, because a failure of these is reduced to a few steps.
    [Fact]
    public void Each_short_series_of_steps_agrees_with_a_linear_search()
        => Gen.Select(Gen.Int[0, 3], Filter, Subject, Gen.Bool, Gen.Int[0, 1000]).Array[0, 60].Sample(
            static steps =>
            {
                var model = new RouterModel();
                foreach ((int kind, string[] filter, string[] subject, bool queued, int at) in steps)
                {
                    switch (kind)
                    {
                        case 0:
                            model.Subscribe(filter, queued ? "q"u8.ToArray() : null);
                            break;
                        case 1 when model.Count > 0:
                            model.Unsubscribe(at % model.Count);
                            break;
                        default:
                            model.Find(subject);
                            break;
                    }
                }
            },
            iter: 10_000);

    [Fact]
    public void The_structure_of_the_trie_depends_only_on_the_subscriptions()
        => Gen.Select(Gen.Bool, Filter, Gen.Int[0, 1000]).Array[0, 160].Sample(
            static steps =>
            {
                var model = new RouterModel();
                foreach ((bool removes, string[] filter, int at) in steps)
                {
                    if (removes && model.Count > 0)
                    {
                        model.Unsubscribe(at % model.Count);
                    }
                    else
                    {
                        model.Subscribe(filter, null);
                    }
                }

                var fresh = new Router();
                foreach (string[] tokens in model.Filters)
                {
                    fresh.Add(new Subscription(null!, Encoding.ASCII.GetBytes(string.Join('.', tokens)), null, "1"u8));
                }

                Assert.Equal(fresh.Subscriptions.Nodes, model.Router.Subscriptions.Nodes);
            },
            iter: 600);

    private static string[] Name(Random random, bool filter)
    {
        string[] name = new string[random.Next(1, 6)];
        for (int i = 0; i < name.Length; i++)
        {
            name[i] = random.Next(5) switch
            {
                0 when filter => "*",
                1 when filter && i == name.Length - 1 => ">",
                _ => Tokens[Math.Min(random.Next(Tokens.Length), random.Next(Tokens.Length))],
            };
        }

        return name;
    }
}
