using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

/// <summary>Which namespaces of an assembly use which others of it: by signatures, fields, attributes of code and the code itself.</summary>
internal sealed class NamespaceGraph
{
    private readonly Dictionary<string, HashSet<string>> _uses = [];
    private readonly Dictionary<(string From, string To), SortedSet<string>> _because = [];
    private readonly ModuleDefinition _module;

    private readonly string? _without;

    internal NamespaceGraph(AssemblyDefinition assembly, string? without = null)
    {
        _without = without;
        _module = assembly.MainModule;
        foreach (TypeDefinition type in _module.GetAllTypes().Where(t => !IsGenerated(t)))
        {
            Add(type);
        }
    }

    internal bool Uses(string from, string to) => _uses.TryGetValue(from, out HashSet<string>? uses) && uses.Contains(to);

    /// <summary>Groups of namespaces each of which uses, in one or more steps, all others of its group.</summary>
    internal List<string[]> Circles()
    {
        Dictionary<string, HashSet<string>> reach = _uses.Keys.ToDictionary(n => n, Reachable);
        return
        [
            .. _uses.Keys
                .Select(n => _uses.Keys.Where(other => reach[n].Contains(other) && reach[other].Contains(n)).Order(StringComparer.Ordinal).ToArray())
                .Where(circle => circle.Length > 1)
                .DistinctBy(circle => string.Join(' ', circle)),
        ];
    }

    /// <summary>What makes the arrows within a group, a line each.</summary>
    internal IEnumerable<string> Why(string[] circle)
        => _because
            .Where(one => circle.Contains(one.Key.From) && circle.Contains(one.Key.To))
            .OrderBy(one => one.Key.From, StringComparer.Ordinal)
            .Select(one => $"{one.Key.From} → {one.Key.To}: {string.Join(", ", one.Value.Take(6))}{(one.Value.Count > 6 ? $" and {one.Value.Count - 6} more" : "")}");

    private HashSet<string> Reachable(string from)
    {
        var seen = new HashSet<string>();
        var left = new Stack<string>([from]);
        while (left.TryPop(out string? at))
        {
            foreach (string next in _uses.GetValueOrDefault(at) ?? [])
            {
                if (seen.Add(next))
                {
                    left.Push(next);
                }
            }
        }

        return seen;
    }

    private void Add(TypeDefinition type)
    {
        string from = NamespaceOf(type);
        _uses.TryAdd(from, []);
        Use(type, type.BaseType);
        foreach (InterfaceImplementation implemented in type.Interfaces)
        {
            Use(type, implemented.InterfaceType);
        }

        foreach (FieldDefinition field in type.Fields)
        {
            Use(type, field.FieldType);
        }

        foreach (GenericParameterConstraint constraint in type.GenericParameters.SelectMany(p => p.Constraints))
        {
            Use(type, constraint.ConstraintType);
        }

        foreach (MethodDefinition method in type.Methods)
        {
            UseSignature(type, method);
            if (method.HasBody)
            {
                UseBody(type, method.Body);
            }
        }
    }

    private void UseSignature(TypeDefinition from, MethodReference method)
    {
        Use(from, method.ReturnType);
        foreach (ParameterDefinition parameter in method.Parameters)
        {
            Use(from, parameter.ParameterType);
        }
    }

    private void UseBody(TypeDefinition from, MethodBody body)
    {
        foreach (VariableDefinition variable in body.Variables)
        {
            Use(from, variable.VariableType);
        }

        foreach (Instruction instruction in body.Instructions)
        {
            switch (instruction.Operand)
            {
                case TypeReference type:
                    Use(from, type);
                    break;
                case MemberReference member:
                    Use(from, member.DeclaringType);
                    if (member is GenericInstanceMethod generic)
                    {
                        foreach (TypeReference argument in generic.GenericArguments)
                        {
                            Use(from, argument);
                        }
                    }

                    break;
            }
        }
    }

    private void Use(TypeDefinition from, TypeReference? to)
    {
        switch (to)
        {
            case null or GenericParameter:
                return;
            case GenericInstanceType generic:
                Use(from, generic.ElementType);
                foreach (TypeReference argument in generic.GenericArguments)
                {
                    Use(from, argument);
                }

                return;
            case TypeSpecification specification:
                Use(from, specification.ElementType);
                return;
        }

        if (to.Scope != _module && to.Scope?.Name != _module.Name)
        {
            return;
        }

        string source = NamespaceOf(from);
        string target = NamespaceOf(to);
        if (source == target || target.Length == 0 || source == _without || target == _without)
        {
            return;
        }

        _uses.TryAdd(source, []);
        _uses[source].Add(target);
        _because.TryAdd((source, target), new SortedSet<string>(StringComparer.Ordinal));
        _because[(source, target)].Add($"{Outermost(from).Name} uses {Outermost(to).Name}");
    }

    private static bool IsGenerated(TypeDefinition type) => NamespaceOf(type).Length == 0;

    private static string NamespaceOf(TypeReference type) => Outermost(type).Namespace;

    private static TypeReference Outermost(TypeReference type)
    {
        while (type.DeclaringType is not null)
        {
            type = type.DeclaringType;
        }

        return type;
    }
}
