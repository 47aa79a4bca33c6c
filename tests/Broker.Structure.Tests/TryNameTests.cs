using System.Text.RegularExpressions;
using Mono.Cecil;

namespace Broker.Structure.Tests;

/// <summary>A .NET developer expects that a method whose name begins with Try returns whether it succeeded.</summary>
public sealed partial class TryNameTests
{
    public static TheoryData<string> Projects => Assemblies.Names;

    [Theory]
    [MemberData(nameof(Projects))]
    public void Every_method_whose_name_begins_with_Try_returns_a_Boolean(string project)
        => Assert.Empty(
            Assemblies.Read(project).MainModule.GetTypes().SelectMany(t => t.Methods)
                .Where(m => TryName().IsMatch(m.Name) && !IsBoolean(m.ReturnType)).Select(m => m.FullName));

    private static bool IsBoolean(TypeReference type)
        => type.FullName == "System.Boolean"
            || (type is GenericInstanceType { GenericArguments: [{ FullName: "System.Boolean" }] } task
                && task.ElementType.FullName is "System.Threading.Tasks.Task`1" or "System.Threading.Tasks.ValueTask`1");

    // Names of local functions and lambdas contain angle brackets. Explicit implementations have a prefix.
    [GeneratedRegex(@"^(?:[\w.]+\.)?Try[A-Z]\w*$")]
    private static partial Regex TryName();
}
