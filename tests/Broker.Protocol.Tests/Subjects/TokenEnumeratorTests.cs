using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Subjects;

public sealed class TokenEnumeratorTests
{
    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("a")]
    [InlineData("a.b")]
    [InlineData(".a")]
    [InlineData("a.")]
    [InlineData("a..b")]
    [InlineData("abc.*.>")]
    public void Tokens_are_those_of_string_Split(string subject)
    {
        var tokens = new List<string>();
        var enumerator = new TokenEnumerator(Text.Bytes(subject));
        while (enumerator.MoveNext())
        {
            tokens.Add(Text.Of(enumerator.Current));
            Assert.Equal(tokens.Count == subject.Split('.').Length, enumerator.IsLast);
        }

        Assert.Equal(subject.Split('.'), tokens);
        Assert.False(enumerator.MoveNext());
    }
}
