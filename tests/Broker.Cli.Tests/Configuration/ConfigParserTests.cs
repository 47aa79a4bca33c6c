using Broker.Cli.Configuration;
using CsCheck;

namespace Broker.Cli.Tests.Configuration;

public sealed class ConfigParserTests
{
    [Theory]
    [InlineData("key = 1", "1")]
    [InlineData("key: 1", "1")]
    [InlineData("key 1", "1")]
    [InlineData("key=1", "1")]
    [InlineData("key : 1 # comment", "1")]
    [InlineData("// comment\n\tkey 1 // comment", "1")]
    [InlineData("other: 1; key: 2, more: 3", "2")]
    [InlineData("KEY: 1\r\n", "1")]
    [InlineData("\"key\": 1", "1")]
    [InlineData("'key': 1", "1")]
    [InlineData("{ key: 1 }", "1")]
    [InlineData("{\"other\": 1, \"key\": \"v\"}", "\"v\"")]
    public void A_key_and_its_value_are_separated_in_many_ways(string text, string value)
        => Assert.Equal(value, Parsing.Quote(text));

    [Theory]
    [InlineData("-5", "-5")]
    [InlineData("1k", "1000")]
    [InlineData("1K", "1000")]
    [InlineData("1kb", "1024")]
    [InlineData("1KiB", "1024")]
    [InlineData("2m", "2000000")]
    [InlineData("2MB", "2097152")]
    [InlineData("1g", "1000000000")]
    [InlineData("1GiB", "1073741824")]
    [InlineData("1.5", "1.5")]
    [InlineData("yes", "true")]
    [InlineData("ON", "true")]
    [InlineData("True", "true")]
    [InlineData("off", "false")]
    [InlineData("no", "false")]
    [InlineData("1x", "\"1x\"")]
    [InlineData("0x10", "\"0x10\"")]
    [InlineData("127.0.0.1:4222", "\"127.0.0.1:4222\"")]
    [InlineData("nats://host:4222", "\"nats://host:4222\"")]
    [InlineData("a#b", "\"a#b\"")]
    [InlineData("\"10\"", "\"10\"")]
    public void A_word_has_the_type_it_looks_like(string word, string value)
        => Assert.Equal(value, Parsing.Quote("key: " + word));

    [Theory]
    [InlineData("""key: "a\tb\n\r\"\\\x41" """, "\"a\tb\n\r\"\\A\"")]
    [InlineData(@"key: 'a\n""b'", "\"a\\n\"b\"")]
    [InlineData("key: \"two\nlines\"", "\"two\nlines\"")]
    [InlineData("key: (\n a) b\n)\n", "\"\n a) b\n\"")]
    [InlineData("key: \"\"", "\"\"")]
    public void Texts_are_quoted_escaped_or_in_parentheses(string text, string value)
        => Assert.Equal(value, Parsing.Quote(text));

    [Fact]
    public void Arrays_hold_values_of_any_kind()
    {
        ConfigArray array = Assert.IsType<ConfigArray>(Parsing.Parse("key: [1, 'two', # three\n [], {a: 4}\n,]").Find("key")!.Value);

        Assert.Equal(["1", "\"two\"", "an array", "a block"], array.Items.Select(item => item.ToString()));
    }

    [Theory]
    [InlineData("key { inner: 7 }")]
    [InlineData("key: { inner: 7; }")]
    [InlineData("key {\n  inner: 7\n}\n")]
    [InlineData("key\n{\n  inner = 7 }")]
    public void Blocks_nest(string text)
    {
        ConfigBlock block = Assert.IsType<ConfigBlock>(Parsing.Parse(text).Find("key")!.Value);

        Assert.Equal("7", block.Find("inner")!.Value.ToString());
    }

    [Theory]
    [InlineData("size: 7\nkey: $size", "7")]
    [InlineData("size: 7\nouter { x: $size }\nkey: $size", "7")]
    [InlineData("key: $ENV_SIZE", "1048576")]
    [InlineData("key: $ENV_TEXT", "\"a b\"")]
    [InlineData("ENV_SIZE: 1\nkey: $ENV_SIZE", "1")]
    [InlineData("key: '$ENV_SIZE'", "\"$ENV_SIZE\"")]
    [InlineData("key: [$ENV_SIZE]", "an array")]
    public void A_variable_is_a_key_above_or_of_the_environment(string text, string value)
        => Assert.Equal(value, Parsing.Quote(text, ("ENV_SIZE", "1MB"), ("ENV_TEXT", "\"a b\"")));

    [Theory]
    [InlineData("s3cret\n", "\"s3cret\"")]
    [InlineData("s3cret \r\n", "\"s3cret\"")]
    [InlineData(" s3cret # the token", "\"s3cret\"")]
    [InlineData("4222 ", "4222")]
    [InlineData("4222 // usual\n", "4222")]
    [InlineData("'4222'", "\"4222\"")]
    [InlineData("\"a\\tb\"", "\"a\tb\"")]
    [InlineData("true\n", "true")]
    [InlineData("[a, 1]\n", "an array")]
    [InlineData("$2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI/sSOT.xtiHyG\n", "\"$2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI/sSOT.xtiHyG\"")]
    // A text that is not one value is taken as it is, without the spaces around it.
    [InlineData(" two words\n", "\"two words\"")]
    [InlineData("a,b", "\"a,b\"")]
    [InlineData("\"not closed", "\"\"not closed\"")]
    [InlineData("{ a: 1 }", "\"{ a: 1 }\"")]
    [InlineData("$V", "\"$V\"")]
    [InlineData("", "\"\"")]
    public void The_value_of_an_environment_variable_is_configuration_text(string value, string read)
    {
        Assert.Equal(read, Parsing.Quote("key: $V", ("V", value)));
        var array = (ConfigArray)Parsing.Parse("key: [$V]", ("V", value)).Find("key")!.Value;
        Assert.Equal(read, Assert.Single(array.Items).ToString());
    }

    [Fact]
    public void A_variable_of_an_outer_block_is_seen_in_an_inner_one()
    {
        var block = (ConfigBlock)Parsing.Parse("port: 7\nkey { port: 8, a { port: $port } }").Find("key")!.Value;

        Assert.Equal("8", ((ConfigBlock)block.Find("a")!.Value).Find("port")!.Value.ToString());
    }

    [Theory]
    [InlineData("key", "the key \"key\" has no value at test.conf:1:1")]
    [InlineData("\n key:\n1", "the key \"key\" has no value at test.conf:2:2")]
    [InlineData("key\nother: 1", "the key \"key\" has no value at test.conf:1:1")]
    [InlineData("= 4", "expected a key, found '=' at test.conf:1:1")]
    [InlineData("key: a b", "expected the end of the line after the value of \"key\", found 'b' at test.conf:1:8")]
    [InlineData("key: 1 }", "expected the end of the line after the value of \"key\", found '}' at test.conf:1:8")]
    [InlineData("key: 1\n}", "a '}' without a '{' at test.conf:2:1")]
    [InlineData("a: 1\nb {\n c: 1\n", "missing '}' for the block at test.conf:2:3")]
    [InlineData("key: [1, 2", "missing ']' for the array at test.conf:1:6")]
    [InlineData("key: [1 2]", "expected ',' or ']' in the array, found '2' at test.conf:1:9")]
    [InlineData("key: [,]", "expected a value, found ',' at test.conf:1:7")]
    [InlineData("key: \"abc", "missing \" for the string at test.conf:1:6")]
    [InlineData("key: (abc)", "missing ')' on its own line for the text at test.conf:1:6")]
    [InlineData("key: \"a\\qb\"", "unknown escape: 'q' after '\\'; the valid escapes are \\t \\n \\r \\\" \\\\ and \\x41 at test.conf:1:9")]
    [InlineData("key: $nobody", "$nobody is neither a key above nor an environment variable at test.conf:1:6")]
    [InlineData("key: 99999999999999999999", "the number 99999999999999999999 is too large at test.conf:1:6")]
    [InlineData("key: 9223372036854775807k", "the number 9223372036854775807k is too large at test.conf:1:6")]
    [InlineData("include", "include needs a file name at test.conf:1:1")]
    [InlineData("{ key: 1 } x", "expected the end of the file, found 'x' at test.conf:1:12")]
    public void A_syntax_error_says_what_and_where(string text, string message)
        => Assert.Equal(message, Parsing.Error(text));

    [Theory]
    [InlineData('{', "blocks and arrays are nested more than 64 levels deep at test.conf:1:")]
    [InlineData('[', "blocks and arrays are nested more than 64 levels deep at test.conf:1:")]
    public void Nesting_is_limited(char open, string message)
        => Assert.StartsWith(message, Parsing.Error("a " + string.Concat(Enumerable.Repeat(open == '{' ? "{a " : "[", 100_000))), StringComparison.Ordinal);

    [Fact]
    public void Random_text_never_throws_anything_but_a_configuration_error()
    {
        int accepted = 0;
        Gen.Char["ab1.- \t\n\r\0=:,;{}[]()\"'\\#/$xk"].Array[1, 23].Select(static letters => new string(letters)).Sample(
            text =>
            {
                try
                {
                    Parsing.Parse(text);
                    accepted++;
                }
                catch (ConfigException e)
                {
                    Assert.Contains(" at test.conf:", e.Message, StringComparison.Ordinal);
                }
            },
            iter: 20_000, threads: 1);

        Assert.InRange(accepted, 1, 19_999);
    }

    [Fact]
    public void Every_truncation_of_a_file_parses_or_says_where_it_ends()
    {
        const string Text = "port: 4222 # x\nzeromq {\n publishers: [\"bind tcp://*:1\", 'a']\n echo: on\n}\nname: (\n a\n)\n";
        for (int length = 0; length <= Text.Length; length++)
        {
            try
            {
                Parsing.Parse(Text[..length]);
            }
            catch (ConfigException e)
            {
                Assert.Contains(" at test.conf:", e.Message, StringComparison.Ordinal);
            }
        }
    }
}
