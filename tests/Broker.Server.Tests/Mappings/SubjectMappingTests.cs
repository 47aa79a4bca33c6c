using System.Text;

namespace Broker.Server.Tests.Mappings;

public sealed class SubjectMappingTests
{
    // The results are those of nats-server 2.15.1. The oracle tests use 2.9.10, which lacks some of the functions.
    [Theory]
    [InlineData("a", "b.c", "a", "b.c")]
    [InlineData("a.*", "b.$1", "a.x", "b.x")]
    [InlineData("a.*", "b.$01", "a.x", "b.x")]
    [InlineData("a.*.*", "b.{{wildcard(2)}}.{{ WildCard( 1 ) }}", "a.x.y", "b.y.x")]
    [InlineData("a.*.*", "b.$2.$2", "a.x.y", "b.y.y")]
    [InlineData("a.*.*", "b", "a.x.y", "b")]
    [InlineData("*.*", "$2.$1", "x.y", "y.x")]
    [InlineData("a.>", "b.>", "a.x.y", "b.x.y")]
    [InlineData("a.*.>", "b.>", "a.x.y.z", "b.y.z")]
    [InlineData("a.*.>", "$1.b.>", "a.x.y.z", "x.b.y.z")]
    [InlineData(">", "x.>", "a.b", "x.a.b")]
    [InlineData("a.>", ">", "a.x.y", "x.y")]
    [InlineData("a.*", "b.$x.$.$1y", "a.x", "b.$x.$.$1y")]
    [InlineData("a.*.*", "x.{{partition(10,1,2)}}", "a.b.c", "x.6")]
    [InlineData("a.*.*", "x.{{partition(10,1,2)}}", "a.--.c", "x.8")]
    [InlineData("a.*.*", "x.{{partition(10,1,2,1)}}", "a.b.c", "x.0")]
    [InlineData("a.*.*", "x.{{Partition( 10 , 1 )}}", "a.--.c", "x.1")]
    [InlineData("a.*.*", "x.{{partition(2147483647,1)}}", "a.b.c", "x.1728851430")]
    [InlineData("a.*.*", "x.{{partition(10)}}", "a.b-x-y.cde", "x.7")]
    [InlineData("a.*", "x.{{split(1,-)}}", "a.b-x-y", "x.b.x.y")]
    [InlineData("a.*", "x.{{split(1,-)}}", "a.-b--c-", "x.b.c")]
    [InlineData("a.*", "x.{{split(1,--)}}", "a.b--c-d", "x.b.c-d")]
    [InlineData("a.*", "x.{{splitFromLeft(1,2)}}", "a.abcdefg", "x.ab.cdefg")]
    [InlineData("a.*", "x.{{splitfromleft(1,2)}}", "a.ab", "x.ab")]
    [InlineData("a.*", "x.{{splitFromLeft(1,0)}}", "a.ab", "x.ab")]
    [InlineData("a.*", "x.{{SplitFromRight(1,2)}}", "a.abcdefg", "x.abcde.fg")]
    [InlineData("a.*", "x.{{SplitFromRight(1,100)}}", "a.abcdefg", "x.abcdefg")]
    [InlineData("a.*", "x.{{SliceFromLeft(1,2)}}", "a.abcdefg", "x.ab.cd.ef.g")]
    [InlineData("a.*", "x.{{SliceFromLeft(1,2)}}", "a.abcd", "x.ab.cd")]
    [InlineData("a.*", "x.{{SliceFromRight(1,2)}}", "a.abcdefg", "x.a.bc.de.fg")]
    [InlineData("a.*", "x.{{SliceFromRight(1,3)}}", "a.abcdef", "x.abc.def")]
    [InlineData("a.*", "x.{{left(1,2)}}", "a.abc", "x.ab")]
    [InlineData("a.*", "x.{{right(1,2)}}", "a.abc", "x.bc")]
    [InlineData("a.*", "x.{{left(1,0)}}.{{right(1,3)}}", "a.abc", "x.abc.abc")]
    [InlineData("a.*", "x.{{random(1)}}", "a.abc", "x.0")]
    public void A_subject_becomes_what_nats_server_makes_of_it(string source, string destination, string subject, string expected)
        => Assert.Equal(expected, Map(new SubjectMapping(source, destination), subject));

    [Fact]
    public void All_destinations_are_known_with_their_weights()
    {
        var keeps = new SubjectMapping("a.*", [new("b.$1", 70), new("c", 0), new("d", 20)]);
        var drops = new SubjectMapping("a", [new("a", 30), new("b", 20)]);

        Assert.Equal([new("b.x", 70), new("d", 20), new("a.x", 10)], keeps.Map("a.x"));
        Assert.Equal([new("a", 30), new("b", 20)], drops.Map("a"));
        Assert.Empty(keeps.Map("other"));
        Assert.Empty(keeps.Map("a.*"));
    }

    [Theory]
    [InlineData("a.*.*", "b.{{wildcard(3)}}", "refers to a wildcard that the source does not have")]
    [InlineData("a.*", "b.$2", "refers to a wildcard that the source does not have")]
    [InlineData("a.*", "b.$0", "refers to a wildcard that the source does not have")]
    [InlineData("a.*", "b.{{partition(10,2)}}", "refers to a wildcard that the source does not have")]
    [InlineData("a.*", "b.{{split(2,-)}}", "refers to a wildcard that the source does not have")]
    [InlineData("a.*", "b.{{partition(0,1)}}", "needs a whole number from 1 to 2147483647, not '0'")]
    [InlineData("a.*", "b.{{partition(x,1)}}", "needs a whole number from 1 to 2147483647, not 'x'")]
    [InlineData("a.*", "b.{{partition(2147483648,1)}}", "needs a whole number")]
    [InlineData("a.*", "b.{{left(1,-1)}}", "needs a whole number from 0 to 2147483647, not '-1'")]
    [InlineData("a.*", "b.{{left(1)}}", "must have two arguments")]
    [InlineData("a.*", "b.{{wildcard(1,2)}}", "must have one argument")]
    [InlineData("a.*", "b.{{wildcard()}}", "needs a whole number")]
    [InlineData("a.*", "b.{{random(1,2)}}", "must have one argument")]
    [InlineData("a.*", "b.{{split(1,)}}", "must have a text to split at")]
    [InlineData("a.*", "b.{{split(1)}}", "must have two arguments")]
    [InlineData("a.*", "b.{{nosuch(1)}}", "is not a known function")]
    [InlineData("a.*", "b.{{wildcard}}", "is not a function")]
    [InlineData("a.*", "b.{{wildcard(1)}", "is not a function")]
    [InlineData("a.*", "b.y{{wildcard(1)}}", "is not a function")]
    [InlineData("a.*", "b.{{split(1,.)}}", "is not a function")]
    [InlineData("a.*", "b.*", "use $1")]
    [InlineData("a.>", "b", "the source ends with '>', but 'b' does not")]
    [InlineData("a", "b.>", "'b.>' ends with '>', but the source does not")]
    [InlineData("a.>", "b.>.c", "'b.>.c' is not a valid subject")]
    [InlineData("a.>", "b.>.>", "not a valid subject")]
    [InlineData("a", "b..c", "not a valid subject")]
    [InlineData("a", "b c", "not a valid subject")]
    [InlineData("a", "", "not a valid subject")]
    [InlineData("a", "_R_.x", "reserved for the server")]
    [InlineData("_R_.>", "x.>", "not a valid subject")]
    [InlineData("a..b", "x", "not a valid subject")]
    [InlineData("a.>.b", "x", "not a valid subject")]
    public void A_mapping_that_cannot_be_is_refused_with_the_reason(string source, string destination, string problem)
    {
        ArgumentException e = Assert.Throws<ArgumentException>(() => new SubjectMapping(source, destination));
        Assert.StartsWith($"'{source}' cannot be mapped: ", e.Message, StringComparison.Ordinal);
        Assert.Contains(problem, e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("the weights are more than 100 in sum", "b", 60, "c", 41)]
    [InlineData("the weight 101 of 'b' is not from 0 to 100", "b", 101, "c", 0)]
    [InlineData("the weight -1 of 'c' is not from 0 to 100", "b", 1, "c", -1)]
    [InlineData("'b' is a destination twice", "b", 1, "b", 1)]
    public void Weights_that_do_not_fit_together_are_refused(string problem, string one, int weight, string other, int otherWeight)
    {
        ArgumentException e = Assert.Throws<ArgumentException>(
            () => new SubjectMapping("a", [new MappingDestination(one, weight), new MappingDestination(other, otherWeight)]));
        Assert.Equal($"'a' cannot be mapped: {problem}.", e.Message);
    }

    [Fact]
    public void Each_message_gets_a_destination_by_the_weights()
    {
        var mapping = new SubjectMapping("a.*", [new MappingDestination("b.$1", 60), new MappingDestination("c.$1", 30)]);
        Dictionary<string, int> counts = Count(mapping, "a.x", 10_000);
        Assert.Equal(["a.x", "b.x", "c.x"], counts.Keys.Order(StringComparer.Ordinal));
        // Six standard deviations.
        Assert.InRange(counts["b.x"], 5_700, 6_300);
        Assert.InRange(counts["c.x"], 2_700, 3_300);
        Assert.InRange(counts["a.x"], 800, 1_200);
    }

    [Fact]
    public void A_source_among_its_destinations_loses_the_rest()
    {
        var mapping = new SubjectMapping("a.>", [new MappingDestination("a.>", 50), new MappingDestination("b.>", 20)]);
        Dictionary<string, int> counts = Count(mapping, "a.x", 10_000);
        Assert.Equal(["", "a.x", "b.x"], counts.Keys.Order(StringComparer.Ordinal));
        Assert.InRange(counts[""], 2_700, 3_300);
        Assert.Equal(["a"], Count(new SubjectMapping("a", []), "a", 100).Keys);
        Assert.Equal([""], Count(new SubjectMapping("a", [new MappingDestination("a", 0)]), "a", 100).Keys);
    }

    [Fact]
    public void A_mapping_is_shown_with_its_weights()
    {
        Assert.Equal("a to b", new SubjectMapping("a", "b").ToString());
        Assert.Equal("a to b (5 %), c (7 %)", new SubjectMapping("a", [new("b", 5), new("c", 7)]).ToString());
    }

    private static Dictionary<string, int> Count(SubjectMapping mapping, string subject, int messages)
        => Enumerable.Range(0, messages).Select(_ => Map(mapping, subject)).CountBy(static s => s, StringComparer.Ordinal)
            .ToDictionary(StringComparer.Ordinal);

    // An empty text for a dropped message.
    private static string Map(SubjectMapping mapping, string subject)
    {
        var mapped = new SubjectBuffer();
        return mapping.TryMap(Encoding.UTF8.GetBytes(subject), mapped) ? Encoding.UTF8.GetString(mapped.Written) : "";
    }
}
