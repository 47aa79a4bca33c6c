using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Terminal;

public sealed class SafeTextTests
{
    [Theory]
    [InlineData("plain text", "plain text")]
    [InlineData("\u001b]0;title\u0007", "\\x1b]0;title\\x07")]
    [InlineData("\u001b[2Jgone", "\\x1b[2Jgone")]
    [InlineData("\u009b31m", "\\x9b31m")]
    [InlineData("a\u202eb", "a\\u202eb")]
    [InlineData("one\ntwo\rthree", "one\\ntwo\\rthree")]
    [InlineData("\u00e9t\u00e9", "\u00e9t\u00e9")]
    public void Characters_that_control_a_terminal_are_escaped(string text, string shown) => Assert.Equal(shown, SafeText.OneLine(text));
}
