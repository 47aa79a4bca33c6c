using System.Text;
using Broker.Protocol;

namespace Broker.Streams.Tests.Api;

public sealed class SubjectFilterTests
{
    [Fact]
    public void Two_filters_overlap_if_a_subject_matches_both()
    {
        string[] filters = [.. Names(3, ["a", "b", "*"]), ">", .. Names(2, ["a", "b", "*"]).Select(static start => start + ".>")];
        string[] subjects = [.. Names(4, ["a", "b", "c"])];
        foreach (string one in filters)
        {
            foreach (string other in filters)
            {
                Assert.True(Array.Exists(subjects, subject => Matches(one, subject) && Matches(other, subject)) == SubjectFilters.Overlap(one, other), $"{one} {other}");
            }
        }
    }

    private static bool Matches(string filter, string subject) => Subject.Matches(Encoding.UTF8.GetBytes(filter), Encoding.UTF8.GetBytes(subject));

    // All names with up to a number of tokens.
    private static IEnumerable<string> Names(int most, string[] tokens)
        => most == 1 ? tokens : tokens.Concat(Names(most - 1, tokens).SelectMany(start => tokens.Select(token => $"{start}.{token}"))).Distinct();
}
