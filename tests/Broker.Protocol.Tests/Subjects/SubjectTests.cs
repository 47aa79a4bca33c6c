using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Subjects;

/// <summary>Compares the rules of subjects with an implementation that splits strings.</summary>
public sealed class SubjectTests
{
    private const int Pairs = 1_000_000;

    [Theory]
    [InlineData("foo", true, true)]
    [InlineData("foo.bar", true, true)]
    [InlineData("*", true, false)]
    [InlineData(">", true, false)]
    [InlineData("foo.*.>", true, false)]
    [InlineData("foo.>.bar", false, false)]
    [InlineData(">.foo", false, false)]
    [InlineData("foo*", true, true)] // a byte like others within a longer token
    [InlineData("*foo.>bar.>>", true, true)]
    [InlineData("", false, false)]
    [InlineData(".", false, false)]
    [InlineData(".foo", false, false)]
    [InlineData("foo.", false, false)]
    [InlineData("foo..bar", false, false)]
    [InlineData("foo bar", false, false)]
    [InlineData("foo\tbar", false, false)]
    [InlineData("foo\r", false, false)]
    [InlineData("foo\n", false, false)]
    [InlineData("foo\0", false, false)]
    [InlineData("\u0080\u00ff", true, true)]
    public void Subjects_are_valid_or_not(string subject, bool filter, bool literal)
    {
        Assert.Equal(filter, Subject.IsValidFilter(Text.Bytes(subject)));
        Assert.Equal(literal, Subject.IsValidLiteral(Text.Bytes(subject)));
    }

    [Theory]
    [InlineData("foo.*", "foo.bar", true)]
    [InlineData("foo.*", "foo.*", true)]
    [InlineData("foo.*", "foo", false)]
    [InlineData("foo.*", "foo.bar.baz", false)]
    [InlineData("foo.>", "foo", false)]
    [InlineData("foo.>", "foo.bar.baz", true)]
    [InlineData(">", "foo", true)]
    [InlineData("*.bar", "foo.bar", true)]
    [InlineData("*.bar", "foo.baz", false)]
    [InlineData("foo.bar", "foo.*", false)]
    [InlineData("foo*", "foobar", false)]
    public void Filters_match_the_expected_subjects(string filter, string subject, bool matches)
        => Assert.Equal(matches, Subject.Matches(Text.Bytes(filter), Text.Bytes(subject)));

    [Fact]
    public void The_rules_agree_with_a_simple_implementation()
    {
        var random = new Random(Seed.Next());
        int matching = 0;
        for (int i = 0; i < Pairs; i++)
        {
            string filter = Make(random, 12);
            string subject = Make(random, 4);
            byte[] filterBytes = Text.Bytes(filter);
            byte[] subjectBytes = Text.Bytes(subject);
            string[] tokens = filter.Split('.');
            bool valid = tokens.All(t => t.Length > 0 && !t.Any(c => c is ' ' or '\t' or '\r' or '\n' or '\0'))
                && !tokens.SkipLast(1).Contains(">");
            bool wild = tokens.Contains("*") || tokens.Contains(">");
            Assert.Equal(valid, Subject.IsValidFilter(filterBytes));
            Assert.Equal(wild, Subject.HasWildcard(filterBytes));
            Assert.Equal(valid && !wild, Subject.IsValidLiteral(filterBytes));
            Assert.Equal(tokens.All(t => t.Length > 0), Subject.HasNoEmptyToken(filterBytes));
            bool matches = Matches(tokens, subject.Split('.'));
            matching += matches ? 1 : 0;
            Assert.Equal(matches, Subject.Matches(filterBytes, subjectBytes));
        }

        Assert.InRange(matching, Pairs / 100, Pairs / 2);
    }

    private static string Make(Random random, int kinds)
        => string.Concat(Enumerable.Range(0, random.Next(8)).Select(_ => "a.ab*>.* \t\r\0"[random.Next(kinds)]));

    private static bool Matches(string[] filter, string[] subject)
    {
        if (filter[^1] == ">")
        {
            return subject.Length >= filter.Length && Matches([.. filter[..^1], "*"], subject[..filter.Length]);
        }

        return filter.Length == subject.Length && filter.Zip(subject).All(pair => pair.First == "*" || pair.First == pair.Second);
    }
}
