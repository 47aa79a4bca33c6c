using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Broker.Structure.Tests;

/// <summary>
/// The operators at the ends of lines, where the next line should begin with them. The compiler's formatter leaves
/// both.
/// </summary>
internal static class WrappedOperators
{
    /// <summary>The position of each one in a source, as <c>path(line): operator</c>.</summary>
    internal static IEnumerable<string> In(string path, string source)
    {
        SyntaxTree tree = CSharpSyntaxTree.ParseText(source, CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Preview));
        SourceText text = tree.GetText();
        foreach (SyntaxToken token in tree.GetRoot().DescendantNodes().SelectMany(Operators))
        {
            int line = LineOf(text, token.Span.End);
            if (line != LineOf(text, token.GetNextToken().SpanStart) && line == LineOf(text, token.GetPreviousToken().Span.End))
            {
                yield return $"{path}({line + 1}): {token.Text}";
            }
        }
    }

    private static int LineOf(SourceText text, int position) => text.Lines.GetLineFromPosition(position).LineNumber;

    // The arrows of lambdas, of a switch and before a collection end their lines, and so does an assignment.
    private static IEnumerable<SyntaxToken> Operators(SyntaxNode node) => node switch
    {
        BinaryExpressionSyntax binary => [binary.OperatorToken],
        BinaryPatternSyntax pattern => [pattern.OperatorToken],
        IsPatternExpressionSyntax test => [test.IsKeyword],
        ConditionalExpressionSyntax conditional => [conditional.QuestionToken, conditional.ColonToken],
        MemberAccessExpressionSyntax access => [access.OperatorToken],
        ConditionalAccessExpressionSyntax access => [access.OperatorToken],
        ArrowExpressionClauseSyntax { Expression: not CollectionExpressionSyntax } body => [body.ArrowToken],
        _ => [],
    };
}
