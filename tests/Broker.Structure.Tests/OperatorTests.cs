namespace Broker.Structure.Tests;

public sealed class OperatorTests
{
    [Theory]
    [InlineData("src")]
    [InlineData("tests")]
    [InlineData("benchmarks")]
    [InlineData("samples")]
    public void An_operator_begins_the_line_that_continues_an_expression(string folder)
    {
        IEnumerable<string> sources = Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(Repository.Root, file))
            .Where(static file => !file.Split(Path.DirectorySeparatorChar).Intersect(["bin", "obj", "node_modules"]).Any());

        string[] wrapped = [.. sources.SelectMany(static file => WrappedOperators.In(file, File.ReadAllText(Path.Combine(Repository.Root, file))))];

        Assert.True(wrapped.Length == 0, string.Join('\n', wrapped));
    }

    [Theory]
    [InlineData("int A(int b) =>\n b;", "=>")]
    [InlineData("int A = b +\n c;", "+")]
    [InlineData("int A = b ?\n c :\n d;", "? :")]
    [InlineData("bool A = b is\n { C: 1 };", "is")]
    [InlineData("bool A = b is 1 or\n 2;", "or")]
    [InlineData("int A = b.\n C;", ".")]
    [InlineData("int A(int b)\n => b\n + c;", "")]
    [InlineData("int[] A =>\n [\n 1,\n ];", "")]
    [InlineData("int A =\n b switch\n {\n 1 =>\n 2,\n };", "")]
    public void An_operator_at_the_end_of_a_line_is_found(string member, string operators)
        => Assert.Equal(operators, string.Join(' ', WrappedOperators.In("A.cs", $"class C {{ {member} }}").Select(static found => found.Split(' ')[^1])));
}
